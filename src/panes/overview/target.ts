import type {Finding} from '../../domain/triage/finding.ts';
import {placeOf} from '../../resources/resources.ts';
import type {Target} from '../command.ts';
import type {FindingRow} from './rows.ts';

/** A pane, and what is shown in it. */
export type PaneTarget = {readonly paneId: string} & Target;

/** Where what a finding is about is shown: its object, the machines that it names, or the money of the account. */
export function targetOf({subject: {type, id}, machineIds = []}: Finding): PaneTarget {
  const [firstId] = machineIds;
  const place = placeOf(firstId === undefined ? type : 'vm', firstId ?? id);
  // From its beginning: what was open there when the person left it is another matter.
  if (place === undefined) return {paneId: type === 'service' ? 'account' : 'billing', filterText: ''};
  return {...place, ...(firstId === undefined ? {} : {markedIds: machineIds})};
}

/** Where all of them are shown, marked; undefined where they are not in one list. */
export function targetOfAll(findings: FindingRow['findings']): PaneTarget | undefined {
  const targets = findings.map(targetOf);
  const [first] = targets;
  const ids = targets.flatMap(({objectId}) => objectId ?? []);
  const areInOneList = targets.every(({paneId}) => paneId === first?.paneId) && ids.length === findings.length;
  return first !== undefined && areInOneList ? {...first, markedIds: ids} : undefined;
}
