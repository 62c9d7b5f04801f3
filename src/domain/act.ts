import type {VirtualMachineId} from './virtual-machine.ts';

/** Everything that can be done to the cloud, as data. `state/operation` maps an act to its one endpoint. */
export type Act =
  | {readonly kind: 'vm.start'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.stop'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.hard-reboot'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.hibernate'; readonly id: VirtualMachineId; readonly retainsIp: boolean}
  | {readonly kind: 'vm.restore'; readonly id: VirtualMachineId};

export type ActKind = Act['kind'];
