import type {FirewallId} from '../../domain/firewall.ts';
import {LIST_START, type ListCursor} from '../list.ts';

/** What a person has chosen in the firewalls pane: a firewall, a rule of it, and which of the two lists the keys move. */
export type FirewallsView = ListCursor<FirewallId> & {
  readonly rules: ListCursor<string>;
  readonly part: 'firewalls' | 'rules';
  readonly filterText: string;
};

export const INITIAL_VIEW: FirewallsView = {...LIST_START, rules: LIST_START, part: 'firewalls', filterText: ''};
