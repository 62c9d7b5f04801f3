import type {FirewallId} from '../../domain/firewall.ts';
import {LIST_VIEW, type ListView} from '../resource-list.tsx';
import {ZOOM_START, type ZoomView} from '../zoomed-detail.tsx';

/** What a person has chosen in the firewalls pane: a firewall, a rule of it, and which of the two lists the keys move. */
export type FirewallsView = ListView<FirewallId> &
  ZoomView & {
    readonly rules: ListView<string>;
    readonly part: 'firewalls' | 'rules';
  };

export const INITIAL_VIEW: FirewallsView = {...LIST_VIEW, ...ZOOM_START, rules: LIST_VIEW, part: 'firewalls'};
