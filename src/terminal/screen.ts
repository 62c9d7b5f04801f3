import {EventEmitter} from 'node:events';
import type {SafeText} from '../domain/safe-text.ts';
import type {Cancel, Clock, MonotonicMs} from '../domain/time.ts';
import {clipboardSequence} from './clipboard.ts';
import {notificationSequence} from './notification.ts';
import {diffGrids, drawGrid, type Pen} from './diff.ts';
import {createFrameReader, type Grid, type Size} from './frame.ts';
import type {GlyphSetName} from './glyphs.ts';
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
  /** What Ink gets as its stdout: each write is one whole frame, and only what changed goes on to the terminal. */
  readonly stdout: Output;
  /** Where lines go past Ink: what changes in them is sent once a turn. */
  readonly slots: LineSlots;
  /** Takes the terminal: alternate screen, hidden cursor, bracketed paste, and the latest frame drawn anew. */
  readonly enter: () => void;
  /** Gives it back. Frames that come now are kept and not shown. */
  readonly leave: () => void;
  /** Shows a frame that does not come from Ink, such as the first one before Ink is loaded. */
  readonly paint: (frame: string) => void;
  /** What is on the screen stays there: frames that come are kept, until `release`, `repaint` or another size. */
  readonly hold: () => void;
  readonly release: () => void;
  /** Draws everything anew, whatever the terminal shows. */
  readonly repaint: () => void;
  readonly size: () => Size;
  /** False if the text is too long for a clipboard. */
  readonly copy: (...lines: readonly SafeText[]) => boolean;
  readonly ring: () => void;
  /** A notification of the terminal's own, where it shows such. */
  readonly notify: (text: SafeText, style: 'osc9' | 'osc777') => void;
  /** What the terminal shows now, as text; nothing before the first frame. */
  readonly picture: () => Picture;
  readonly bytesWritten: () => number;
  /** Control bytes and sequences that were kept from the terminal. */
  readonly refusedCount: () => number;
};

type Done = (error?: Error | null) => void;

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?2004h';
/**
 * Another program had the terminal, and may have left it in any mode: insert and origin mode, margins, another character set,
 * no wrapping, application keys, mouse and focus reports, the kitty keyboard. All of them would spoil what is drawn, or
 * turn reports into keys.
 */
const AS_BEFORE_OTHERS =
  '\u001b[4l\u001b[?6l\u001b[r\u001b(B\u000f\u001b[?7h\u001b[?1l\u001b>' +
  '\u001b[?9l\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1005l\u001b[?1006l\u001b[?1015l\u001b[<u';
const LEAVE = '\u001b[m\u001b[?2004l\u001b[?25h\u001b[?1049l';
const SYNCHRONIZED = {start: '\u001b[?2026h', end: '\u001b[?2026l'};
/** A shorter change arrives in one piece anyway, and the two sequences would cost more than a twentieth of it. */
const SYNCHRONIZED_FROM = 512;
/** Ink switches modes for itself as well; here they belong to `enter` and `leave`. */
const MODE_SWITCH = /^\[(?:\?(?:25|1004|1049|2004|2026)[hl]|[<>?][\d;]*u|0?m)$/;
const GONE = new Set(['EIO', 'EPIPE', 'EBADF', 'ENXIO', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);
const RESIZE_INTERVAL_MS = 50;
/** Ink draws a new size at once with the old layout; the layout that fits it follows within a turn or two. */
const LAYOUT_DELAY_MS = 5;
const RETRY_DELAY_MS = 50;
const RELEASE_DELAY_MS = 20;
const DEFAULT_SIZE: Size = {columns: 80, rows: 24};
/** No real terminal is larger, and a wrong size must not fill the memory. */
const MAX_SIZE: Size = {columns: 1000, rows: 500};

export function createScreen<Output extends ScreenOutput>({
  stdout,
  clock,
  glyphs = 'unicode',
  onGone = () => undefined,
}: {
  readonly stdout: Output;
  readonly clock: Clock;
  readonly glyphs?: GlyphSetName;
  /** The terminal no longer takes what is written. */
  readonly onGone?: (error: Error) => void;
}): Screen<Output> {
  const slots = createLineSlots(showSoon);
  const reader = createFrameReader({glyphSet: glyphs, lineOf: slots.lineOf});
  const resizes = new EventEmitter();
  const outlet = openOutlet({stdout, clock, onGone, onLost: repaint});
  const sized = followSize({stdout, clock, onResized});
  let latest: string | undefined;
  let shown: {readonly frame: string; readonly slotsVersion: number; readonly grid: Grid} | undefined;
  let pen: Pen = {style: PLAIN, row: undefined, column: undefined};
  let isEntered = false;
  let wasEntered = false;
  let isHeld = false;
  let isShowingSoon = false;
  let isWaitingForDrain = false;
  let cancelHold: Cancel | undefined;

  function show(frame: string): void {
    latest = frame;
    const isUnchanged = shown?.frame === frame && shown.slotsVersion === slots.version();
    if (!isEntered || outlet.isGone() || isHeld || isUnchanged || cancelHold !== undefined || isHeldUp()) return;
    const grid = reader.read(frame, sized.size());
    const change = shown === undefined ? drawGrid(grid) : diffGrids(shown.grid, grid, pen);
    shown = {frame, slotsVersion: slots.version(), grid};
    pen = change.pen;
    if (change.output === '') return;
    if (change.output.length < SYNCHRONIZED_FROM) outlet.send(change.output);
    else outlet.send(`${SYNCHRONIZED.start}${change.output}${SYNCHRONIZED.end}`);
  }

  /** A reader that does not keep up gets the latest frame when it has caught up, and none of those between. */
  function isHeldUp(): boolean {
    if (stdout.writableNeedDrain !== true) return false;
    if (!isWaitingForDrain) {
      isWaitingForDrain = true;
      stdout.once('drain', () => {
        isWaitingForDrain = false;
        showLatest();
      });
    }
    return true;
  }

  function showLatest(): void {
    if (latest !== undefined) show(latest);
  }

  /** Frames and lines that come within one turn are one change: the lines of a new frame follow it. */
  function showSoon(): void {
    if (isShowingSoon) return;
    isShowingSoon = true;
    queueMicrotask(() => {
      isShowingSoon = false;
      showLatest();
    });
  }

  function repaint(): void {
    isHeld = false;
    shown = undefined;
    showLatest();
  }

  function onResized(): void {
    isHeld = false;
    shown = undefined;
    cancelHold?.();
    cancelHold = clock.after(LAYOUT_DELAY_MS, () => {
      cancelHold = undefined;
      showLatest();
    });
    resizes.emit('resize');
  }

  function enter(): void {
    isEntered = true;
    sized.refresh();
    outlet.send(wasEntered ? `${ENTER}${AS_BEFORE_OTHERS}` : ENTER);
    wasEntered = true;
    repaint();
  }

  function leave(): void {
    if (!isEntered) return;
    isEntered = false;
    shown = undefined;
    outlet.send(LEAVE);
  }

  function control(sequence: string): void {
    if (isEntered) outlet.send(sequence);
  }

  /** Node's `write(chunk, encoding?, callback?)`. */
  function write(chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean {
    const frame = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    const done = rest.find(isDone) ?? (() => undefined);
    // Ink writes nothing at all to hear when everything before it is out.
    if (frame === '') showLatest();
    else if (!isModeSwitches(frame)) {
      latest = frame;
      showSoon();
    }
    if (frame === '' && !outlet.isGone()) stdout.write('', done);
    else queueMicrotask(() => done());
    return true;
  }

  const surface = {
    write,
    isTTY: true,
    get columns() {
      return sized.size().columns;
    },
    get rows() {
      return sized.size().rows;
    },
  };
  return {
    stdout: standIn(stdout, surface, resizes),
    slots,
    enter,
    leave,
    paint: frame => show(frame),
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      // A newer frame mostly follows a release; only if none comes, the kept one is shown.
      clock.after(RELEASE_DELAY_MS, showLatest);
    },
    repaint,
    size: sized.size,
    copy: (...lines) => {
      const sequence = clipboardSequence(...lines);
      if (sequence !== undefined) control(sequence);
      return sequence !== undefined;
    },
    ring: () => control('\u0007'),
    notify: (text, style) => control(notificationSequence(text, style)),
    picture: () => (shown === undefined ? {plain: '', coloured: ''} : pictureOf(shown.grid)),
    bytesWritten: outlet.bytesWritten,
    refusedCount: reader.refusedCount,
  };
}

type Outlet = {
  readonly send: (text: string) => void;
  /** The terminal no longer takes what is written. */
  readonly isGone: () => boolean;
  readonly bytesWritten: () => number;
};

/** Owns what is written to the terminal and whether it is still there. `onLost`: a part of what was sent did not arrive. */
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
  let byteCount = 0;

  function send(text: string): void {
    if (isGone) return;
    byteCount += Buffer.byteLength(text);
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
      // The terminal took a part of the frame or nothing (EAGAIN); which one is not known, so all is drawn again.
      clock.after(RETRY_DELAY_MS, onLost);
      return;
    }
    isGone = true;
    onGone(error);
  }

  stdout.on('error', onError);
  return {send, isGone: () => isGone, bytesWritten: () => byteCount};
}

type SizeFollower = {
  readonly size: () => Size;
  /** Reads it anew without calling `onResized`. */
  readonly refresh: () => void;
};

/** Owns the terminal's size. While a window is dragged, its sizes are taken over at most once an interval. */
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

/** The real stream with some of its members replaced; `resize` comes from us, coalesced. */
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

function isDone(value: unknown): value is Done {
  return typeof value === 'function';
}

function sizeOf({columns, rows}: ScreenOutput): Size {
  return {
    columns: Math.min(MAX_SIZE.columns, columns || DEFAULT_SIZE.columns),
    rows: Math.min(MAX_SIZE.rows, rows || DEFAULT_SIZE.rows),
  };
}
