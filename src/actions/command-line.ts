import type {Failure} from '../domain/failure.ts';
import type {SafeText} from '../domain/safe-text.ts';

/** The command of an action that names its subjects on the line: `skydeck vm stop <vm...>`. */
export type CommandLine<Parameters, R> = {
  readonly words: readonly [group: string, name: string];
  readonly summary: string;
  readonly options?: readonly CommandOption[];
  /** For one of the subjects, by the options as they were given, or what is wrong with them; its id where nothing is said. */
  parametersFor?(subject: R, flags: object): Parameters | Unplanned;
};

/** Why there is no action: a mistake on the line, or an answer of the service that allows none. */
export type Unplanned = {readonly mistake: SafeText} | {readonly failure: Failure};

export type CommandOption = {
  /** As commander writes it: `--flavor <flavor>`. */
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  /** May be given several times; the texts come as a list. */
  readonly isRepeated?: boolean;
};
