import {type SafeText, say} from '../domain/safe-text.ts';

/** A pane as its tab names it. */
export type Tab = {
  readonly id: string;
  /** The key that opens it; empty if it is opened by name only. */
  readonly key: string;
  readonly title: SafeText;
};

/** The panes with a key, in order, kept apart from them: the first frame shows them before any pane is loaded. */
export const TABS = {
  overview: {id: 'overview', key: '1', title: say`Overview`},
  machines: {id: 'machines', key: '2', title: say`Machines`},
  clusters: {id: 'clusters', key: '3', title: say`Clusters`},
  firewalls: {id: 'firewalls', key: '4', title: say`Firewalls`},
  billing: {id: 'billing', key: '5', title: say`Billing`},
  volumes: {id: 'volumes', key: '6', title: say`Volumes`},
  objects: {id: 'objects', key: '7', title: say`Objects`},
  catalogue: {id: 'catalogue', key: '8', title: say`Catalogue`},
  timeline: {id: 'timeline', key: '9', title: say`Timeline`},
  account: {id: 'account', key: '0', title: say`Account`},
} as const satisfies Readonly<Record<string, Tab>>;
