import {accountPane} from './account/pane.tsx';
import {billingPane} from './billing/pane.tsx';
import {cataloguePane} from './catalogue/pane.tsx';
import {clustersPane} from './clusters/pane.tsx';
import {firewallsPane} from './firewalls/pane.tsx';
import {handoverPane} from './handover/pane.tsx';
import {journalPane} from './journal/pane.tsx';
import {machinesPane} from './machines/pane.tsx';
import {objectsPane} from './objects/pane.tsx';
import {overviewPane} from './overview/pane.tsx';
import {openPane, type Pane} from './pane.ts';
import {timelinePane} from './timeline/pane.tsx';
import {volumesPane} from './volumes/pane.tsx';

/** The tabs, in order. */
export function openPanes(): readonly Pane[] {
  return [
    openPane(overviewPane),
    openPane(machinesPane),
    openPane(clustersPane),
    openPane(firewallsPane),
    openPane(billingPane),
    openPane(volumesPane),
    openPane(objectsPane),
    openPane(cataloguePane),
    openPane(timelinePane),
    openPane(accountPane),
    openPane(journalPane),
    openPane(handoverPane),
  ];
}
