import type {PictureOptions} from './picture.ts';

/** A picture of the deck: where it is taken, what is pressed, and what must be seen before it counts. */
export type PictureScene = {
  /** Names the files: `<name>-<columns>x<rows>.png`. */
  readonly name: string;
  /** Of the simulator; `on-call` where nothing is said. */
  readonly scenario?: string;
  /** The key of the pane, pressed at once. */
  readonly pane: string;
  /** Pressed once everything on screen has been read. Names as in keys.ts, text, `wait:MILLISECONDS` or `wait:ssh`. */
  readonly keys: readonly string[];
  /** All sizes where nothing is said. */
  readonly sizes?: readonly PictureSize[];
  readonly arguments?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Faults of the simulator, from the start or once everything was loaded. */
  readonly faults?: {readonly from: 'start' | 'loaded'; readonly specs: readonly string[]};
  /** The profile names a Prometheus that has the exporter's series and DCGM's. */
  readonly hasPrometheus?: boolean;
  /** What a stand-in for the person's ssh prints before it waits; `wait:ssh` waits until it has. */
  readonly sshPrints?: readonly string[];
  /** What the picture exists to show; without it on the screen the picture is a mistake. */
  readonly shows: string | RegExp;
  /** No answer ever comes, so time does not wait for one. */
  readonly isUnanswered?: boolean;
  /** Kept as drawing too, as the README shows it; the drawings of all would weigh three times the pictures. */
  readonly isDrawn?: boolean;
  readonly paper?: PictureOptions['paper'];
};

export type PictureSize = {readonly columns: number; readonly rows: number};

export const PICTURE_SIZES: readonly PictureSize[] = [
  {columns: 80, rows: 24},
  {columns: 120, rows: 35},
  {columns: 200, rows: 50},
];

/** What lies over a pane is as large on a wide screen as on this one. */
export const DIALOG_SIZES: readonly PictureSize[] = PICTURE_SIZES.slice(0, 2);

export const TRUECOLOR = {COLORTERM: 'truecolor'};
/** A question takes no answer before it could be read. */
export const READ = 'wait:1000';
