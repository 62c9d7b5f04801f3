import {EventEmitter} from 'node:events';
import type {SafeText} from '../domain/safe-text.ts';
import type {Cancel, Clock, MonotonicMs} from '../domain/time.ts';
import {clipboardSequence} from './clipboard.ts';
import {diffGrids, drawGrid, type Pen} from './diff.ts';
import {createFrameReader, type Grid, type Size} from './frame.ts';
import type {GlyphSetName} from './glyphs.ts';
import {KEYS_AS_BYTES} from './keys.ts';
import {createLineSlots, type LineSlots} from './line-slots.ts';
import {type Picture, pictureOf} from './picture.ts';
import {PLAIN} from './style.ts';

/** The part of a terminal's output stream that a screen needs. */
export type ScreenOutput = {
  readonly columns?: number;
  readonly rows?: number;
  readonly writableNeedDrain?: boolean;
  write(text: string, done?: (error?: Error | null) => void): boolean;
  on(event: string, listener: (...details: unknown[]) => void): unknown;
  once(event: string, listener: (...details: unknown[]) => void): unknown;
  off(event: string, listener: (...details: unknown[]) => void): unknown;
};

export type Screen<Output extends ScreenOutput> = {
  /** Ink's stdout: each write is one whole frame, and only changes are sent to the terminal. */
  readonly stdout: Output;
  /** For lines that bypass Ink: changes in them are sent once per turn of the event loop. */
  readonly slots: LineSlots;
  /** Takes the terminal: alternate screen, hidden cursor, bracketed paste, and the latest frame redrawn. */
  readonly enter: () => void;
  /** Gives it back. Frames that arrive meanwhile are kept and not shown. */
  readonly leave: () => void;
  /** Shows a frame that does not come from Ink, such as the first one, before Ink is loaded. */
  readonly paint: (frame: string) => void;
  /** Freezes the screen: frames are kept until `release`, `repaint` or a change of size. */
  readonly hold: () => void;
  /** Freezes it at this frame, which may follow another one it was frozen at. */
  readonly holdAt: (frame: string) => void;
  readonly release: () => void;
  /** Redraws everything, whatever the terminal shows. */
  readonly repaint: () => void;
  readonly size: () => Size;
  /** Returns false if the text is too long for a clipboard. */
  readonly copy: (...lines: readonly SafeText[]) => boolean;
  readonly ring: () => void;
  /** Shows a notification, on terminals that support it. */
  readonly notify: (text: SafeText, style: 'osc9' | 'osc777') => void;
  /** The content of the screen as text; empty before the first frame. */
  readonly picture: () => Picture;
  /** The number of control bytes and sequences withheld from the terminal. */
  readonly refusedCount: () => number;
};

type WriteCallback = (error?: Error | null) => void;

const ENTER = `\u001b[?1049h\u001b[?25l\u001b[?2004h${KEYS_AS_BYTES}`;
/**
 * Another program may have left the terminal in any mode: insert and origin mode, margins, another character set, no
 * wrapping, application keys, mouse and focus reports, the kitty keyboard. Each would spoil the drawing or turn reports
 * into keys.
 */
const AS_BEFORE_OTHERS =
  '\u001b[4l\u001b[?6l\u001b[r\u001b(B\u000f\u001b[?7h\u001b[?1l\u001b>' +
  '\u001b[?9l\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1005l\u001b[?1006l\u001b[?1015l\u001b[<u';
const LEAVE = '\u001b[m\u001b[?2004l\u001b[?25h\u001b[?1049l';
const SYNCHRONIZED = {start: '\u001b[?2026h', end: '\u001b[?2026l'};
/** A shorter change arrives in one chunk anyway, and the two sequences would add more than five percent to it. */
const SYNCHRONIZED_FROM = 512;
/** Ink switches modes as well; here only `enter` and `leave` do. */
const MODE_SWITCH = /^\[(?:\?(?:25|1004|1049|2004|2026)[hl]|[<>?][\d;]*u|0?m)$/;
const GONE = new Set(['EIO', 'EPIPE', 'EBADF', 'ENXIO', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);
const RESIZE_INTERVAL_MS = 50;
/** After a resize Ink first draws the old layout; the right one follows within a turn or two. */
const LAYOUT_DELAY_MS = 5;
const RETRY_DELAY_MS = 50;
const RELEASE_DELAY_MS = 20;
const DEFAULT_SIZE: Size = {columns: 80, rows: 24};
/** No real terminal is larger, and a wrong size must not fill the memory. */
const MAX_SIZE: Size = {columns: 1000, rows: 500};

type ScreenOptions<Output extends ScreenOutput> = {
  readonly stdout: Output;
  readonly clock: Clock;
  readonly glyphs?: GlyphSetName;
  /** The terminal no longer accepts output. */
  readonly onGone?: (error: Error) => void;
};

export function createScreen<Output extends ScreenOutput>(options: ScreenOptions<Output>): Screen<Output> {
  const {stdout} = options;
  const drawing = new Drawing(options);
  return {
    stdout: standIn(stdout, surfaceOf(drawing, stdout), drawing.resizes),
    slots: drawing.slots,
    enter: () => drawing.enter(),
    leave: () => drawing.leave(),
    paint: frame => drawing.show(frame),
    hold: () => drawing.hold(),
    holdAt: frame => drawing.holdAt(frame),
    release: () => drawing.release(),
    repaint: () => drawing.repaint(),
    size: () => drawing.size(),
    copy: (...lines) => {
      const sequence = clipboardSequence(...lines);
      if (sequence !== undefined) drawing.control(sequence);
      return sequence !== undefined;
    },
    ring: () => drawing.control('\u0007'),
    notify: (text, style) => drawing.control(notificationSequence(text, style)),
    picture: () => drawing.picture(),
    refusedCount: () => drawing.refusedCount(),
  };
}

/** Owns what the terminal shows: the latest frame, what was drawn of it, and when a newer one may be drawn. */
class Drawing {
  readonly slots = createLineSlots(() => this.showSoon());
  /** Tells Ink to lay out again. */
  readonly resizes = new EventEmitter();
  readonly #stdout: ScreenOutput;
  readonly #clock: Clock;
  readonly #reader: ReturnType<typeof createFrameReader>;
  readonly #outlet: Outlet;
  readonly #sized: SizeFollower;
  #latest: string | undefined;
  #shown: {readonly frame: string; readonly slotsVersion: number; readonly grid: Grid} | undefined;
  #pen: Pen = {style: PLAIN, row: undefined, column: undefined};
  #isEntered = false;
  #wasEntered = false;
  #isHeld = false;
  #isShowingSoon = false;
  #isWaitingForDrain = false;
  #cancelHold: Cancel | undefined;

  constructor({stdout, clock, glyphs = 'unicode', onGone = () => undefined}: ScreenOptions<ScreenOutput>) {
    this.#stdout = stdout;
    this.#clock = clock;
    this.#reader = createFrameReader({glyphSet: glyphs, lineOf: this.slots.lineOf});
    this.#outlet = openOutlet({stdout, clock, onGone, onLost: () => this.repaint()});
    this.#sized = followSize({stdout, clock, onResized: () => this.#onResized()});
  }

  size(): Size {
    return this.#sized.size();
  }

  refusedCount(): number {
    return this.#reader.refusedCount();
  }

  isGone(): boolean {
    return this.#outlet.isGone();
  }

  picture(): Picture {
    return this.#shown === undefined ? {plain: '', coloured: ''} : pictureOf(this.#shown.grid);
  }

  hold(): void {
    this.#isHeld = true;
  }

  holdAt(frame: string): void {
    this.#isHeld = true;
    if (this.#canDraw(frame)) this.#draw(frame);
  }

  release(): void {
    this.#isHeld = false;
    // A newer frame usually follows a release; the kept one is shown only if none does.
    this.#clock.after(RELEASE_DELAY_MS, () => this.showLatest());
  }

  /** Takes a frame, which is drawn at the end of this turn. */
  take(frame: string): void {
    this.#latest = frame;
    this.showSoon();
  }

  show(frame: string): void {
    this.#latest = frame;
    if (!this.#isHeld && this.#canDraw(frame)) this.#draw(frame);
  }

  #canDraw(frame: string): boolean {
    const isUnchanged = this.#shown?.frame === frame && this.#shown.slotsVersion === this.slots.version();
    const isKept = !this.#isEntered || this.#outlet.isGone() || this.#cancelHold !== undefined;
    return !isKept && !isUnchanged && !this.#isHeldUp();
  }

  #draw(frame: string): void {
    const grid = this.#reader.read(frame, this.#sized.size());
    const change = this.#shown === undefined ? drawGrid(grid) : diffGrids(this.#shown.grid, grid, this.#pen);
    this.#shown = {frame, slotsVersion: this.slots.version(), grid};
    this.#pen = change.pen;
    if (change.output === '') return;
    if (change.output.length < SYNCHRONIZED_FROM) this.#outlet.send(change.output);
    else this.#outlet.send(`${SYNCHRONIZED.start}${change.output}${SYNCHRONIZED.end}`);
  }

  /** A terminal that does not keep up gets the latest frame once it has caught up, and none of those in between. */
  #isHeldUp(): boolean {
    if (this.#stdout.writableNeedDrain !== true) return false;
    if (!this.#isWaitingForDrain) {
      this.#isWaitingForDrain = true;
      this.#stdout.once('drain', () => {
        this.#isWaitingForDrain = false;
        this.showLatest();
      });
    }
    return true;
  }

  showLatest(): void {
    if (this.#latest !== undefined) this.show(this.#latest);
  }

  /** Frames and lines within one turn are one change, since the lines of a frame follow it. */
  showSoon(): void {
    if (this.#isShowingSoon) return;
    this.#isShowingSoon = true;
    queueMicrotask(() => {
      this.#isShowingSoon = false;
      this.showLatest();
    });
  }

  repaint(): void {
    this.#isHeld = false;
    this.#shown = undefined;
    this.showLatest();
  }

  #onResized(): void {
    this.#isHeld = false;
    this.#shown = undefined;
    this.#cancelHold?.();
    this.#cancelHold = this.#clock.after(LAYOUT_DELAY_MS, () => {
      this.#cancelHold = undefined;
      this.showLatest();
    });
    this.resizes.emit('resize');
  }

  enter(): void {
    this.#isEntered = true;
    this.#sized.refresh();
    this.#outlet.send(this.#wasEntered ? `${ENTER}${AS_BEFORE_OTHERS}` : ENTER);
    this.#wasEntered = true;
    this.repaint();
  }

  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    this.#shown = undefined;
    this.#outlet.send(LEAVE);
  }

  control(sequence: string): void {
    if (this.#isEntered) this.#outlet.send(sequence);
  }
}

/** Ink's output: each text is either a whole frame or a mode switch, which is left to `enter` and `leave`. */
function surfaceOf(drawing: Drawing, stdout: ScreenOutput): object {
  return {
    /** Node's `write(chunk, encoding?, callback?)`. */
    write(chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean {
      const frame = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      const done = rest.find(isDone) ?? (() => undefined);
      // Ink writes an empty text to learn when everything before it was sent.
      if (frame === '') drawing.showLatest();
      else if (!isModeSwitches(frame)) drawing.take(frame);
      if (frame === '' && !drawing.isGone()) stdout.write('', done);
      else queueMicrotask(() => done());
      return true;
    },
    isTTY: true,
    get columns() {
      return drawing.size().columns;
    },
    get rows() {
      return drawing.size().rows;
    },
  };
}

type Outlet = {
  readonly send: (text: string) => void;
  /** The terminal no longer accepts output. */
  readonly isGone: () => boolean;
};

/**
 * Owns what is written to the terminal, and whether it is still there. `onLost`: part of what was sent did not arrive.
 */
function openOutlet({
  stdout,
  clock,
  onGone,
  onLost,
}: {
  readonly stdout: ScreenOutput;
  readonly clock: Clock;
  readonly onGone: (error: Error) => void;
  readonly onLost: () => void;
}): Outlet {
  let isGone = false;

  function send(text: string): void {
    if (isGone) return;
    try {
      stdout.write(text);
    } catch (error) {
      onError(error);
    }
  }

  function onError(error: unknown): void {
    if (!(error instanceof Error) || isGone) return;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    if (!GONE.has(code)) {
      // The terminal took part of the frame or nothing (EAGAIN). Which is unknown, so everything is redrawn.
      clock.after(RETRY_DELAY_MS, onLost);
      return;
    }
    isGone = true;
    onGone(error);
  }

  stdout.on('error', onError);
  return {send, isGone: () => isGone};
}

type SizeFollower = {
  readonly size: () => Size;
  /** Reads it again without calling `onResized`. */
  readonly refresh: () => void;
};

/** Owns the terminal's size. While a window is being dragged, a new size is used at most once per interval. */
function followSize({
  stdout,
  clock,
  onResized,
}: {
  readonly stdout: ScreenOutput;
  readonly clock: Clock;
  readonly onResized: () => void;
}): SizeFollower {
  let size = sizeOf(stdout);
  let cancelResize: Cancel | undefined;
  let lastResizeAt: MonotonicMs | undefined;

  function onResize(): void {
    if (cancelResize !== undefined) return;
    const sinceLast = lastResizeAt === undefined ? RESIZE_INTERVAL_MS : clock.monotonicNow() - lastResizeAt;
    if (sinceLast >= RESIZE_INTERVAL_MS) applyResize();
    else cancelResize = clock.after(RESIZE_INTERVAL_MS - sinceLast, applyResize);
  }

  function applyResize(): void {
    cancelResize = undefined;
    lastResizeAt = clock.monotonicNow();
    size = sizeOf(stdout);
    onResized();
  }

  stdout.on('resize', onResize);
  return {
    size: () => size,
    refresh: () => {
      size = sizeOf(stdout);
    },
  };
}

/** The real stream with some of its members replaced; `resize` events come from us, coalesced. */
function standIn<Output extends ScreenOutput>(stdout: Output, surface: object, resizes: EventEmitter): Output {
  const standing: Output = new Proxy(stdout, {
    get(target, property) {
      if (Object.hasOwn(surface, property)) return Reflect.get(surface, property);
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...details: readonly unknown[]) => {
        const owner: object = LISTENING.has(property) && details[0] === 'resize' ? resizes : target;
        const method: unknown = Reflect.get(owner, property);
        const outcome: unknown = typeof method === 'function' ? Reflect.apply(method, owner, details) : undefined;
        return outcome === owner ? standing : outcome;
      };
    },
  });
  return standing;
}

const LISTENING: ReadonlySet<string | symbol> = new Set([
  'on',
  'once',
  'off',
  'addListener',
  'removeListener',
  'listenerCount',
]);

function isModeSwitches(frame: string): boolean {
  const [before, ...sequences] = frame.split('\u001b');
  return before === '' && sequences.length > 0 && sequences.every(sequence => MODE_SWITCH.test(sequence));
}

function isDone(value: unknown): value is WriteCallback {
  return typeof value === 'function';
}

function sizeOf({columns, rows}: ScreenOutput): Size {
  return {
    columns: Math.min(MAX_SIZE.columns, columns || DEFAULT_SIZE.columns),
    rows: Math.min(MAX_SIZE.rows, rows || DEFAULT_SIZE.rows),
  };
}

/** The maximum length shown; terminals cut longer notifications anyway. */
const MAX_NOTIFICATION_CHARACTERS = 200;

/** The sequence that makes the terminal show a notification on the person's own computer, through SSH as well. */
function notificationSequence(text: SafeText, style: 'osc9' | 'osc777'): string {
  const shown = [...text].slice(0, MAX_NOTIFICATION_CHARACTERS).join('');
  // A semicolon separates the fields of this sequence.
  return style === 'osc9' ? `\u001b]9;${shown}\u0007` : `\u001b]777;notify;skydeck;${shown.replaceAll(';', ',')}\u0007`;
}
