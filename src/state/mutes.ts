import {join} from 'node:path';
import {type MutesContent, mutesText, parseMutes} from '../config/mutes-file.ts';
import {
  codeOf,
  isTroubleOfFile,
  openStateFolder,
  putAside,
  readOwnFile,
  replaceOwnFile,
  type StateFile,
  stateFolder,
} from '../config/own-files.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type Clock, type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import {isOver, isSameMute, type Mute} from '../domain/triage/mute.ts';

const FOLDER = 'findings';
/** More than a person mutes; beyond it the oldest are dropped. */
const MAX_MUTES = 2000;
const MAX_FILE_BYTES = 1024 * 1024;
/** How soon mutes made in another skydeck of the same user are seen here. */
const READ_AGAIN_MS: DurationMs = 5 * SECOND_MS;

/**
 * Owns what a person has muted on one service: a file of mode 0600 that is reread now and then, and mutes that could
 * not be written.
 */
export class Mutes {
  readonly #environment: StateFile['environment'];
  readonly #path: string;
  readonly #clock: Pick<Clock, 'wallNow' | 'monotonicNow'>;
  #mutes: readonly Mute[] = [];
  #unknown: MutesContent['unknown'] = [];
  #text = '';
  readonly #onTrouble: StateFile['onTrouble'];
  readonly #file: string;
  /** Why the file that is there is not read: it is not ours, or not in our format. */
  #trouble: string | undefined;
  #readAt: MonotonicMs | undefined;

  constructor({environment, name, onTrouble}: StateFile, clock: Pick<Clock, 'wallNow' | 'monotonicNow'>) {
    this.#environment = environment;
    this.#path = join(stateFolder(environment), FOLDER, name);
    this.#file = join(FOLDER, name);
    this.#onTrouble = onTrouble;
    this.#clock = clock;
  }

  /** The same array until something in it changes. */
  all(): readonly Mute[] {
    const now = this.#clock.monotonicNow();
    if (this.#readAt === undefined || now - this.#readAt >= READ_AGAIN_MS) {
      this.#readAt = now;
      this.#read();
    }
    return this.#mutes;
  }

  /** What a person must know if the file cannot be read: what they muted in it is shown to them again. */
  trouble(): SafeText | undefined {
    this.all();
    return this.#trouble === undefined
      ? undefined
      : say`acknowledged and snoozed findings are listed again: ${safeText(this.#trouble)}`;
  }

  /**
   * Each replaces an earlier mute of the same finding. Returns what a person must know: that they hold for this session
   * only, or that earlier ones could not be read.
   */
  add(added: readonly Mute[]): SafeText | undefined {
    this.#read();
    return this.#write([...this.#mutes.filter(mute => !added.some(each => isSameMute(each, mute))), ...added]);
  }

  remove(removed: readonly Mute[]): SafeText | undefined {
    this.#read();
    return this.#write(this.#mutes.filter(mute => !removed.some(each => isSameMute(each, mute))));
  }

  #read(): void {
    try {
      const text = readOwnFile(this.#path, {maxBytes: MAX_FILE_BYTES});
      if (text !== this.#text) {
        const {mutes, unknown} = parseMutes(text);
        this.#mutes = mutes;
        this.#unknown = unknown;
        this.#text = text;
      }
      this.#trouble = undefined;
    } catch (error) {
      // What was read before still applies.
      const known = this.#trouble;
      this.#trouble = codeOf(error) === 'ENOENT' ? undefined : this.#reasonOf(error);
      if (this.#trouble !== undefined && this.#trouble !== known)
        this.#onTrouble?.(this.#file, `not read: ${this.#trouble}`);
    }
  }

  /** A parser's own message quotes the file. */
  #reasonOf(error: unknown): string {
    return isTroubleOfFile(error) && !(error instanceof SyntaxError) ? error.message : `${this.#path} is damaged`;
  }

  #write(mutes: readonly Mute[]): SafeText | undefined {
    const now = this.#clock.wallNow();
    this.#mutes = mutes.filter(mute => !isOver(mute, now)).slice(-MAX_MUTES);
    const text = mutesText({mutes: this.#mutes, unknown: this.#unknown});
    try {
      openStateFolder(this.#environment, FOLDER);
      const aside = this.#trouble === undefined ? undefined : putAside(this.#path, now);
      replaceOwnFile(this.#path, text);
      this.#text = text;
      this.#trouble = undefined;
      return aside === undefined ? undefined : say`earlier ones cannot be read and are kept in ${safeText(aside)}`;
    } catch (error) {
      const reason = error instanceof Error && codeOf(error) === '' ? error.message : codeOf(error);
      return say`for this session only: ${safeText(this.#path)} cannot be written (${safeText(reason)})`;
    }
  }
}
