import type {PowerAct} from '../../domain/act.ts';
import {wrongStateReason} from '../../domain/act-rules/power.ts';
import {describeOperation} from '../../domain/describe-operation.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {permissionReason} from '../act-question.ts';
import {awayReason} from '../feed-state.ts';
import type {Scene} from '../pane.ts';

/** Why an act cannot be begun now, the most fundamental reason first. */
export function disabledReasonOf(act: PowerAct, machine: VirtualMachine, scene: Scene): SafeText | undefined {
  if (scene.operations === undefined) return say`read-only session; W allows writes for a while`;
  const holder = scene.operations.openOn({type: 'vm', id: machine.id});
  if (holder !== undefined) return describeOperation(holder).text;
  const away = awayReason(scene);
  if (away !== undefined) return away;
  if (machine.clusterId !== undefined) {
    return say`a node of cluster #${machine.clusterId}: its power belongs to the cluster`;
  }
  if (machine.status === 'UNKNOWN') return say`its state ${machine.statusText} is not known to skydeck`;
  const wrongState = wrongStateReason(act.kind, machine);
  if (wrongState !== undefined) return wrongState;
  const refused = permissionReason(scene, act);
  if (refused !== undefined) return refused;
  if (machine.isSnapshotting === true) return say`a snapshot of it is being taken`;
  if (act.kind !== 'vm.hibernate') return undefined;
  if (machine.flavor?.hasNoHibernation === true) return say`its flavor ${machine.flavor.name} cannot hibernate`;
  return !act.retainsIp && machine.floatingIp === undefined ? say`no public address` : undefined;
}
