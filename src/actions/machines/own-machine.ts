import {mayRunOn} from '../../domain/own-connection.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import type {Line} from '../../ui/text.ts';
import type {AssessmentInput} from '../assessment-input.ts';

/** Whether stopping the machine may end the SSH session that the deck itself runs in. */
export function holdsOwnSession(
  machine: VirtualMachine,
  {ownConnection}: Pick<AssessmentInput, 'ownConnection'>,
): boolean {
  return ownConnection !== undefined && mayRunOn(ownConnection, machine);
}

/** The last action possible from here deserves a warning. */
export function ownSessionLines(
  machine: VirtualMachine,
  scene: Pick<AssessmentInput, 'ownConnection'>,
): readonly Line[] {
  if (!holdsOwnSession(machine, scene)) return [];
  const text = `Your own SSH session is connected to ${scene.ownConnection?.serverAddress}, an address of this machine: it may be cut off.`;
  return [[{text, tone: 'danger'}]];
}
