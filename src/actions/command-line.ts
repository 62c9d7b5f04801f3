import type {Failure} from '../domain/failure.ts';
import type {SafeText} from '../domain/safe-text.ts';

/** The command of an action that names its subjects as arguments: `skydeck vm stop <vm...>`. */
export type CommandLine<Parameters, R> = {
  readonly words: readonly [group: string, name: string];
  readonly summary: string;
  readonly options?: readonly CommandOption[];
  /**
   * The action on one subject according to the options, or what is wrong with them; by default one that needs only the
   * id.
   */
  parametersFor?(subject: R, flags: object): Parameters | Unplanned;
};

/** Why there is no action: a usage error, or an answer of the service that does not allow any. */
export type Unplanned = {readonly mistake: SafeText} | {readonly failure: Failure};

export type CommandOption = {
  /** In commander's notation: `--flavor <flavor>`. */
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  /** May be given several times; the values come as a list. */
  readonly isRepeated?: boolean;
};
