import type {Firewall} from '../../domain/firewall.ts';
import {subtractRates, ZERO_RATE} from '../../domain/money.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {observedFirewalls} from '../../state/firewalls.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatGigabytes, formatRate} from '../../ui/format.ts';
import {firewallsRisk, isAttached} from '../access-lines.ts';
import type {Assessment} from '../assessment.ts';
import {priceWords} from '../creation-cost.ts';
import type {AssessmentInput} from '../assessment-input.ts';
import {typedAnswer} from '../question.ts';
import {diffLines} from '../set-form.ts';

export function assessAttachAddress(
  _action: object,
  _machine: VirtualMachine,
  {preferences}: AssessmentInput,
): Assessment {
  const {prices} = preferences;
  return {
    happens: [[{text: 'It gets a new public address, chosen by the service.'}]],
    costs: [
      [
        {text: `adds ${formatRate(prices.publicIp)}`, tone: 'money'},
        {text: `  ${priceWords('publicIp', prices)}`, tone: 'dim'},
      ],
    ],
    savings: {rate: subtractRates(ZERO_RATE, prices.publicIp)},
    warnings: [[{text: 'Its rules and firewalls decide who gets in.'}]],
    undo: {words: 'detach it again', caveat: '; the address is lost then'},
    answer: {kind: 'key'},
  };
}

export function assessDetachAddress(
  _action: object,
  {id, name, floatingIp}: VirtualMachine,
  {preferences}: AssessmentInput,
): Assessment {
  const {publicIp} = preferences.prices;
  const address = floatingIp ?? 'Its address';
  return {
    happens: [[{text: `${address} is released permanently: it cannot be recovered.`, tone: 'danger'}]],
    costs: [[{text: `saves ${formatRate(publicIp)}`, tone: 'money'}]],
    savings: {rate: publicIp},
    undo: 'none: another address can be attached, not this one',
    answer: typedAnswer(name, id),
  };
}

/** Several volumes in one call. Their data and their price do not change. */
export function assessAttachVolumes(
  {volumeIds}: {readonly volumeIds: readonly number[]},
  {id, name}: VirtualMachine,
  known: AssessmentInput,
): Assessment {
  const volumes = lastValue(known.store.get(volumesFeed))?.records ?? [];
  const words = volumeIds.map(each =>
    volumeWord(
      each,
      volumes.find(volume => volume.id === each),
    ),
  );
  return {
    title: say`attach volumes to ${nameInWords(name)}  #${id}`,
    happens: [
      ...diffLines([], words),
      [{text: 'They appear as new disks in the machine and have to be mounted there.'}],
    ],
    undo: {words: 'detach them again'},
    answer: {kind: 'key'},
  };
}

export function assessDetachVolumes(
  {volumeIds}: {readonly volumeIds: readonly number[]},
  {id, name, status, volumes}: VirtualMachine,
): Assessment {
  const words = volumeIds.map(each =>
    volumeWord(
      each,
      volumes.find(({volumeId}) => volumeId === each),
    ),
  );
  const isRunning = status === 'ACTIVE';
  return {
    title: say`detach volumes from ${nameInWords(name)}  #${id}`,
    happens: [...diffLines(words, []), [{text: 'Their contents stay, and they are still billed.'}]],
    warnings: isRunning ? [[{text: UNMOUNT_FIRST, tone: 'warning'}]] : [],
    undo: {words: 'attach them again'},
    answer: isRunning ? typedAnswer(name, id) : {kind: 'key'},
  };
}

const UNMOUNT_FIRST = 'The machine is running: unmount them first, or data being written is lost.';

/** A volume as named in forms and questions; by id if nothing else is known. */
export function volumeWord(
  id: number,
  volume: {readonly name: SafeText; readonly sizeGb?: number | undefined} | undefined,
): string {
  return volume === undefined
    ? `volume #${id}`
    : `${nameInWords(volume.name)} #${id} ${formatGigabytes(volume.sizeGb)}`;
}

/** The full set of the machine's firewalls: any left out is detached. */
export function assessFirewalls(
  {firewallIds}: {readonly firewallIds: readonly Firewall['id'][]},
  machine: VirtualMachine,
  known: AssessmentInput,
): Assessment {
  const {id, name} = machine;
  const firewalls = observedFirewalls(known.store) ?? [];
  const {lines, cutsOff} = firewallsRisk(machine, firewallIds, known);
  const wordOf = (firewall: Firewall['id']) =>
    `${nameInWords(firewalls.find(each => each.id === firewall)?.name ?? say`firewall`)} #${firewall}`;
  const standing = firewalls.filter(firewall => isAttached(firewall, id));
  return {
    title: say`set firewalls of ${nameInWords(name)}  #${id}`,
    happens: diffLines(
      standing.map(each => wordOf(each.id)),
      firewallIds.map(wordOf),
    ),
    warnings: [
      ...lines,
      ...(firewallIds.length === 0 ? [[{text: 'It has no firewall then.', tone: 'warning'} as const]] : []),
    ],
    undo: {words: 'choose the previous ones again'},
    answer: cutsOff ? typedAnswer(name, id) : {kind: 'key'},
  };
}
