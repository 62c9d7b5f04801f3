import {say} from '../safe-text.ts';
import {availability} from '../stock.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {type RuleFinding, judgeEach, machineSubject, type TriageRule} from './finding.ts';

/** A hibernated machine whose flavor is out of stock: restoring it would fail. */
export const outOfStock: TriageRule = {
  id: 'out-of-stock',
  needsState: true,
  judge: ({machines, flavors, stocks = []}) => {
    if (flavors === undefined) return {findings: [], cannotJudge: say`the list of flavors was not read`};
    const doubtful: VirtualMachine[] = [];
    const verdict = judgeEach(machines, 'machines', (machine): RuleFinding | undefined => {
      const {flavor, regionName} = machine;
      if (machine.status !== 'HIBERNATED' || flavor === undefined) return undefined;
      const offered = flavors.find(
        ({name, regionName: region}) => name === flavor.name && (regionName === undefined || region === regionName),
      );
      const available = offered === undefined ? 'unknown' : availability(offered, stocks);
      // Flavors are read less often than the stock: right after a hibernation they are out of date.
      if (available === 'doubtful') doubtful.push(machine);
      if (available !== 'none') return undefined;
      return {
        severity: 'notice',
        subject: machineSubject(machine),
        summary: say`flavor out of stock, hibernated`,
        evidence: [say`${flavor.name} is out of stock${regionName === undefined ? say`` : say` in ${regionName}`}`],
        advice: say`It cannot be restored until there is stock again; plan for another flavor if it is needed soon.`,
        commands: [say`skydeck get stock`],
      };
    });
    const [first, ...others] = doubtful;
    if (first === undefined) return verdict;
    const whose = others.length === 0 ? first.name : say`${doubtful.length} machines`;
    return {...verdict, cannotJudge: say`the stock list and the flavor list disagree about ${whose}`};
  },
};
