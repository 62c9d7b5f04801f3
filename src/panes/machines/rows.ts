import {say} from '../../domain/safe-text.ts';
import {type DurationMs, SECOND_MS} from '../../domain/time.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {type MachineRow, machines} from '../../resources/machines.ts';
import {listedRows} from '../../resources/resource.ts';
import {type RuleRow, ruleKey, ruleRows, rules} from '../../resources/rules.ts';
import {machinesFeed} from '../../state/machines.ts';
import {type ListKeys, listKeys} from '../list-commands.ts';
import type {PaneContext} from '../pane.ts';
import {type ListAt, resourceList} from '../resource-list.tsx';
import {MACHINE_COLUMNS, WIDE_COLUMNS, withoutGpus} from './columns.ts';
import type {MachinesView} from './view.ts';

type Context = PaneContext<MachinesView>;

/** Samples come every five seconds at best; a row is judged anew so often, and at once when it was read. */
const JUDGED_EVERY_MS: DurationMs = 15 * SECOND_MS;

export const machineList = resourceList<MachineRow, VirtualMachineId>({
  title: say`machines`,
  feed: machinesFeed,
  columns: machines.columns,
  rows: known => listedRows(machines, known),
  idOf: ({machine}) => machine.id,
  labelsOf: ({machine}) => machine.labels,
  isSameRecord: (before, row) => before.machine === row.machine && before.rate === row.rate,
  keptForMs: JUDGED_EVERY_MS,
  columnsFor: ({isWide}, rows) => {
    const columns = isWide ? WIDE_COLUMNS : MACHINE_COLUMNS;
    return rows.some(({gpus}) => gpus !== undefined) ? columns : withoutGpus(columns);
  },
});

/** The own rules of the machine under the cursor. */
export const machineRuleList = resourceList<RuleRow, string, VirtualMachine>({
  title: say`rules`,
  columns: rules.columns,
  rows: (known, machine) => ruleRows(machine?.rules ?? [], known),
  idOf: ruleKey,
});

export function machineRulesAt({scene, view}: Context): ListAt<string, VirtualMachine> {
  return {scene, view: view.rules, of: machineUnderCursor({scene, view})};
}

export function machineUnderCursor(context: Context): VirtualMachine | undefined {
  return machineList.rowUnderCursor(context)?.machine;
}

const MACHINE_KEYS = listKeys<MachinesView, MachineRow, VirtualMachineId, undefined>(
  machineList,
  {at: context => context, put: (view, list) => ({...view, ...list})},
  ({machine}) => machine.name,
);

export function listHere(): ListKeys<MachinesView> {
  return MACHINE_KEYS;
}
