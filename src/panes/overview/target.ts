import {isResourceType, RESOURCE_WORDS} from '../../domain/cloud-resource.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import type {Finding} from '../../domain/triage/finding.ts';
import {isUnlisted, placeOf} from '../../resources/resources.ts';
import type {Store} from '../../state/store.ts';
import type {Target} from '../command.ts';
import type {FindingRow} from '../../resources/findings.ts';

/** A pane, and what it shows. */
export type PaneTarget = {readonly paneId: string} & Target;

/** Where the subject of a finding is shown: its object, the machines it names, or the account's money. */
export function targetOf({subject: {type, id}, machineIds = []}: Finding, store: Store): PaneTarget {
  const listedIds = machineIds.filter(machineId => !isUnlisted(store, 'vm', machineId));
  const [firstId] = listedIds;
  if (firstId === undefined && id !== undefined && isUnlisted(store, type, id)) return billedAs(id);
  const place = placeOf(firstId === undefined ? type : 'vm', firstId ?? id);
  // At its beginning, whatever the person had open there before.
  if (place === undefined) return {paneId: type === 'service' ? 'account' : 'billing', filterText: ''};
  return {...place, ...(firstId === undefined ? {} : {markedIds: listedIds})};
}

/** Something missing from every list may still be billed; no row is better than the cursor on another object. */
function billedAs(id: number): PaneTarget {
  return {paneId: 'billing', filterText: `id:/^${id}$/`};
}

/** Says that the object is not in its list; undefined if it is. */
export function unlistedWords({subject: {type, id, name}}: Finding, store: Store): SafeText | undefined {
  if (id === undefined || !isResourceType(type) || !isUnlisted(store, type, id)) return undefined;
  return say`${nameInWords(name)} is not in the list of ${RESOURCE_WORDS[type].many}`;
}

/** Where all of them are shown, marked; undefined if they are not in one list. */
export function targetOfAll(findings: FindingRow['findings'], store: Store): PaneTarget | undefined {
  const targets = findings.map(finding => targetOf(finding, store));
  const [first] = targets;
  const ids = targets.flatMap(({objectId}) => objectId ?? []);
  const areInOneList = targets.every(({paneId}) => paneId === first?.paneId) && ids.length === findings.length;
  return first !== undefined && areInOneList ? {...first, markedIds: ids} : undefined;
}
