import {say} from '../safe-text.ts';
import {judgeEach, machineSubject, type TriageRule} from './finding.ts';

/** A hibernated machine whose hardware is not free now: restoring it would fail. */
export const outOfStock: TriageRule = {
  id: 'out-of-stock',
  judge: ({machines, flavors}) => {
    if (flavors === undefined) return {findings: [], cannotJudge: say`the list of flavors was not read`};
    return judgeEach(machines, 'machines', machine => {
      const {flavor, regionName} = machine;
      if (machine.status !== 'HIBERNATED' || flavor === undefined) return undefined;
      const offered = flavors.find(
        ({name, regionName: region}) => name === flavor.name && (regionName === undefined || region === regionName),
      );
      if (offered?.isInStock !== false) return undefined;
      return {
        rule: 'out-of-stock',
        severity: 'notice',
        subject: machineSubject(machine),
        summary: say`hibernated, and its flavor is out of stock`,
        evidence: [say`${flavor.name} is out of stock${regionName === undefined ? say`` : say` in ${regionName}`}`],
        advice: say`It cannot be restored until there is stock again; plan for another flavor where it is needed soon.`,
        commands: [say`skydeck get stock`],
      };
    });
  },
};
