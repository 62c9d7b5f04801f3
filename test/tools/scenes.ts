import type {PictureOptions} from './picture.ts';

/** A picture of the deck: where it is taken, what is pressed, and what must be seen before it counts. */
export type PictureScene = {
  /** Names the files: `<name>-<columns>x<rows>.png`. */
  readonly name: string;
  /** Of the simulator; `on-call` where nothing is said. */
  readonly scenario?: string;
  /** The key of the pane, pressed at once. */
  readonly pane: string;
  /** Pressed once everything on screen has been read. Names as in keys.ts, text, or `wait:MILLISECONDS`. */
  readonly keys: readonly string[];
  /** All sizes where nothing is said. */
  readonly sizes?: readonly PictureSize[];
  readonly arguments?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Faults of the simulator, from the start or once everything was loaded. */
  readonly faults?: {readonly from: 'start' | 'loaded'; readonly specs: readonly string[]};
  /** What the picture exists to show; without it on the screen the picture is a mistake. */
  readonly shows: string | RegExp;
  /** No answer ever comes, so time does not wait for one. */
  readonly isUnanswered?: boolean;
  readonly paper?: PictureOptions['paper'];
};

export type PictureSize = {readonly columns: number; readonly rows: number};

export const PICTURE_SIZES: readonly PictureSize[] = [
  {columns: 80, rows: 24},
  {columns: 120, rows: 35},
  {columns: 200, rows: 50},
];

const TRUECOLOR = {COLORTERM: 'truecolor'};

export const SCENES: readonly PictureScene[] = [
  {name: 'overview', pane: '1', keys: [], env: TRUECOLOR, shows: 'needs you now'},
  {name: 'clusters', pane: '3', keys: [], env: TRUECOLOR, shows: /embed .*RECONCILING/},
  {name: 'cluster-stuck', pane: '3', scenario: 'stuck-cluster', keys: [], env: TRUECOLOR, shows: 'STUCK'},
  {name: 'firewalls', pane: '4', keys: ['tab'], env: TRUECOLOR, shows: /rules of edge/},
  {
    name: 'rule-form',
    pane: '4',
    keys: ['tab', 'n', 'right', 'tab', 'tab', 'tab', 'tab', '0.0.0.0/0'],
    env: TRUECOLOR,
    shows: 'CIDR',
  },
  {name: 'rule-question', pane: '4', keys: ['tab', 'X', 'wait:1000'], env: TRUECOLOR, shows: 'remove rule'},
  {name: 'billing', pane: '5', keys: [], env: TRUECOLOR, shows: 'top spenders'},
  {name: 'machines', pane: '2', keys: [], env: TRUECOLOR, shows: /train-01 .*ACTIVE/},
  {name: 'machines-detail', pane: '2', keys: ['enter'], env: TRUECOLOR, shows: 'CPU'},
  {
    name: 'machines-stop-question',
    pane: '2',
    keys: ['/', 'train-02', 'enter', 'p', 'x', 'wait:1000'],
    env: TRUECOLOR,
    shows: /stop/i,
  },
  {name: 'power-menu', pane: '2', keys: ['p'], env: TRUECOLOR, shows: /act on train-01.*esc/},
  {name: 'help', pane: '2', keys: ['?'], env: TRUECOLOR, shows: 'Everywhere'},
  {name: 'filter', pane: '2', keys: ['/', 'cpu>x'], env: TRUECOLOR, shows: 'goes a number'},
  {name: 'palette', pane: '2', keys: [':', 're'], env: TRUECOLOR, shows: 'reverse'},
  {name: 'read-only', pane: '2', keys: [], arguments: ['--read-only'], env: TRUECOLOR, shows: 'READ-ONLY'},
  {
    name: 'service-away',
    pane: '2',
    keys: ['wait:55000'],
    env: TRUECOLOR,
    faults: {from: 'loaded', specs: ['status=503,match=* *']},
    shows: 'link down',
  },
  {name: 'empty-account', pane: '2', scenario: 'empty', keys: [], env: TRUECOLOR, shows: 'no machines'},
  {
    name: 'loading',
    pane: '2',
    keys: [],
    env: TRUECOLOR,
    faults: {from: 'start', specs: ['kind=latency:1m,match=* *']},
    isUnanswered: true,
    shows: 'reading the machines',
  },
  {name: 'ascii', pane: '2', keys: [], arguments: ['--ascii'], env: TRUECOLOR, shows: /train-01 .*ACTIVE/},
  {name: 'no-colour', pane: '2', keys: [], env: {NO_COLOR: '1'}, shows: /train-01 .*ACTIVE/},
  {name: '16-colours', pane: '2', keys: [], env: {FORCE_COLOR: '1'}, shows: /train-01 .*ACTIVE/},
  {
    name: 'light',
    pane: '2',
    keys: [],
    env: {...TRUECOLOR, COLORFGBG: '0;15'},
    paper: {ink: '#24292f', ground: '#ffffff'},
    shows: /train-01 .*ACTIVE/,
  },
];
