import {type SafeText, say} from '../domain/safe-text.ts';
import {isSameMute} from '../domain/triage/mute.ts';
import type {CommandResult} from '../panes/command.ts';
import type {Mutes} from '../state/mutes.ts';

/** What to mute, what to list again, and what to say about it. */
type MuteStep = Omit<Extract<CommandResult, {kind: 'mute'}>, 'kind'>;

/** The message, with the reason if it holds for this session only. */
export type MuteOutcome = {readonly says: SafeText; readonly trouble: SafeText | undefined};

/** More than anybody undoes. */
const MAX_STEPS = 100;

/** Owns what was muted or listed again in this session, so that the last step can be undone. */
export class MuteSteps {
  readonly #mutes: Pick<Mutes, 'all' | 'add' | 'remove'> | undefined;
  #done: readonly MuteStep[] = [];
  #undone: readonly MuteStep[] = [];

  constructor(mutes: Pick<Mutes, 'all' | 'add' | 'remove'> | undefined) {
    this.#mutes = mutes;
  }

  take(step: MuteStep): MuteOutcome {
    const replaced = (this.#mutes?.all() ?? []).filter(mute => step.add.some(each => isSameMute(each, mute)));
    this.#done = [...this.#done, {...step, remove: [...step.remove, ...replaced]}].slice(-MAX_STEPS);
    this.#undone = [];
    return {says: step.says, trouble: this.#change(step)};
  }

  /** Whether undo applies to a mute, not to what was sent. */
  isNext(): boolean {
    return this.#done.length > 0;
  }

  /** Undefined if nothing was muted since something was sent. */
  undo(): MuteOutcome | undefined {
    const step = this.#done.at(-1);
    if (step === undefined) return undefined;
    this.#done = this.#done.slice(0, -1);
    this.#undone = [...this.#undone, step];
    return {
      says: step.undone ?? say`undone: ${step.says}`,
      trouble: this.#change({add: step.remove, remove: step.add}),
    };
  }

  redo(): MuteOutcome | undefined {
    const step = this.#undone.at(-1);
    if (step === undefined) return undefined;
    this.#undone = this.#undone.slice(0, -1);
    this.#done = [...this.#done, step];
    return {says: step.says, trouble: this.#change(step)};
  }

  /** Something was sent: undo applies to that from now on. */
  forget(): void {
    this.#done = [];
    this.#undone = [];
  }

  #change({add, remove}: Pick<MuteStep, 'add' | 'remove'>): SafeText | undefined {
    const removed = remove.length === 0 ? undefined : this.#mutes?.remove(remove);
    const added = add.length === 0 ? undefined : this.#mutes?.add(add);
    return added ?? removed;
  }
}
