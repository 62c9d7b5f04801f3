import type {FirewallId} from '../../domain/firewall.ts';
import {LIST_VIEW, type ListView} from '../resource-list.tsx';

/** What a person has chosen in the firewalls pane: a firewall, a rule of it, and which of the two lists the keys move. */
export type FirewallsView = ListView<FirewallId> & {
  readonly rules: ListView<string>;
  readonly part: 'firewalls' | 'rules';
};

export const INITIAL_VIEW: FirewallsView = {...LIST_VIEW, rules: LIST_VIEW, part: 'firewalls'};
