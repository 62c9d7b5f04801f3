import {excludedMachines} from '../cost.ts';
import {stoppedSince, stoppedWaste} from '../money/waste.ts';
import {say} from '../safe-text.ts';
import {type DurationMs, MINUTE_MS} from '../time.ts';
import {cannotHibernate, type VirtualMachine} from '../virtual-machine.ts';
import {judgeEach, machineSubject, type RuleFinding, type TriageRule} from './finding.ts';
import {durationWords, rateWords} from './words.ts';

/** A machine stopped for a short while is waste, but not yet worth a finding. */
const PAUSE_MS: DurationMs = 10 * MINUTE_MS;

/** A machine that is shut off and still billed. */
export const stoppedButBilled: TriageRule = {
  id: 'stopped-but-billed',
  isWaste: true,
  needsState: true,
  judge: ({machines, usage = [], rates, eventsOf, changedAfter, preferences: {prices}, now}) =>
    judgeEach(machines, 'machines', machine => {
      if (excludedMachines(usage).has(machine.id)) return undefined;
      const since = stoppedSince(machine.status, eventsOf(machine) ?? [], changedAfter(machine));
      if (since !== undefined && now - since < PAUSE_MS) return undefined;
      const rate = rates?.get(machine.id);
      if (stoppedWaste(machine, {rate, since, prices, now}) === undefined) return undefined;
      const length = since === undefined ? say`` : say` for ${durationWords(now - since)}`;
      return {
        severity: 'warning',
        subject: machineSubject(machine),
        summary: say`SHUTOFF but billed in full`,
        ...(since === undefined ? {} : {since}),
        ...(rate === undefined ? {} : {rate}),
        evidence: [
          rate === undefined
            ? say`SHUTOFF${length}; a machine that is shut off is billed like a running one`
            : say`SHUTOFF${length} and metered at ${rateWords(rate)}`,
        ],
        ...endingOf(machine),
      };
    }),
};

function endingOf(machine: VirtualMachine): Pick<RuleFinding, 'advice' | 'fixes' | 'commands'> {
  const {id} = machine;
  if (cannotHibernate(machine)) {
    return {
      advice: say`Its flavor cannot hibernate: delete it if it is not needed.`,
      fixes: [{kind: 'vm.delete', id}],
      commands: [say`skydeck vm delete ${id}`],
    };
  }
  return {
    advice: say`Only a running machine can be hibernated: start it, then hibernate it. Or delete it.`,
    fixes: [{kind: 'vm.start', id}],
    commands: [say`skydeck vm start ${id} --wait && skydeck vm hibernate ${id} --retain-ip`],
  };
}
