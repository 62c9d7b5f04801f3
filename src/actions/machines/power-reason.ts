import {describeOperation} from '../../domain/describe-operation.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {permissionReason} from '../action-question.ts';
import {obstacleTo} from '../actions.ts';
import type {Known} from '../known.ts';
import {awayReason} from '../known.ts';
import type {PowerAction} from '../machine-power.ts';

/** Why an action cannot be begun now, the most fundamental reason first. */
export function disabledReasonOf(action: PowerAction, machine: VirtualMachine, scene: Known): SafeText | undefined {
  if (scene.operations === undefined) return say`read-only session; W allows writes for a while`;
  const holder = scene.operations.openOn({type: 'vm', id: machine.id});
  if (holder !== undefined) return describeOperation(holder).text;
  const away = awayReason(scene);
  if (away !== undefined) return away;
  const obstacle = obstacleTo(action, {thing: machine}) ?? permissionReason(scene, action);
  if (obstacle !== undefined || action.kind !== 'vm.hibernate') return obstacle;
  return !action.retainsIp && machine.floatingIp === undefined ? say`no public address` : undefined;
}
