import {AUTOSCALER_USER_ID} from './account.ts';
import type {Cluster} from './cluster.ts';
import type {StageGround} from './context.ts';
import {createAgenda} from './event-queue.ts';
import {createIssuer, type Issuer} from './factory.ts';
import type {Firewall} from './firewall.ts';
import {create, type OperationRequest, remove, requestOperation} from './lifecycle.ts';
import type {Machine, Volume} from './machine.ts';
import type {Meter} from './metering.ts';
import type {Pace, Verb} from './operations.ts';
import {addRule, type RuleFields, type RuleOwner, removeRule} from './rules.ts';
import type {Blueprint, Scenario, ScriptLine} from './scenario.ts';
import {createStock} from './stock.ts';
import {meterVolume, releaseVolumes} from './volumes.ts';

export type WorldOptions = {
  readonly seed: number;
  readonly startedAt: number;
  readonly isFaithful: boolean;
  readonly scenario: Scenario;
  /** The service has switched resizing off; this switches it on. */
  readonly allowsResize?: boolean;
  /** The longest name a new cluster may have. */
  readonly clusterNameLimit?: number;
};

export type Stage = ReturnType<typeof createStage>;

/** The moving parts: what exists, what is due, and how both change. */
export function createStage({scenario, seed, startedAt, isFaithful}: WorldOptions) {
  const agenda = createAgenda();
  const issuer = createIssuer(scenario, startedAt);
  const machines: Machine[] = [];
  const machinesById = new Map<number, Machine>();
  const volumes: Volume[] = [];
  const clusters: Cluster[] = [];
  const firewalls: Firewall[] = [];
  const meters: Meter[] = [];
  const stock = createStock(machines);
  let moment = Number.NEGATIVE_INFINITY;
  // The past was made by the real service and took its time; what follows goes at the pace asked for.
  let pace: Pace = 'faithful';
  const surroundings = {
    now: () => moment,
    schedule: agenda.schedule,
    allocatePublicIp: issuer.publicIp,
    seed,
    nextRuleId: issuer.ruleId,
    hasRoomFor: stock.hasRoomFor,
    bury: (machine: Machine) => {
      releaseVolumes(machine, moment);
      machines.splice(machines.indexOf(machine), 1);
      machinesById.delete(machine.id);
    },
  };
  const operate = (machine: Machine, verb: Verb, request: OperationRequest) =>
    requestOperation(surroundings, machine, verb, request);

  function enroll(blueprint: Blueprint): Machine {
    const machine = issuer.machine({...blueprint, createdAt: moment});
    machines.push(machine);
    machinesById.set(machine.id, machine);
    meters.push(machine.meter);
    for (const {volume} of machine.attachments) adopt(volume);
    return machine;
  }

  function born(blueprint: Blueprint): void {
    const machine = enroll(blueprint);
    const userId = issuer.creatorOf(machine);
    create(surroundings, machine, userId, pace, blueprint.isStuck === true);
    for (const step of blueprint.past ?? []) {
      const request: OperationRequest = {retainsIp: false, userId, pace, ...step};
      agenda.schedule(step.at, () => operate(machine, step.verb, request));
    }
    if (blueprint.deletedAt !== undefined)
      agenda.schedule(blueprint.deletedAt, () => remove(surroundings, machine, userId, pace));
  }

  function adopt(volume: Volume): void {
    volumes.push(volume);
    meters.push(volume.meter);
    meterVolume(volume, volume.createdAt);
  }

  function toggle(line: ScriptLine & {kind: 'toggle'}): void {
    const machine = machines.find(candidate => candidate.name === line.machineName);
    if (machine === undefined) return;
    const request: OperationRequest = {userId: AUTOSCALER_USER_ID, retainsIp: false, pace};
    if (machine.status === 'ACTIVE') operate(machine, 'stop', request);
    else if (machine.status === 'SHUTOFF') operate(machine, 'start', request);
    agenda.schedule(moment + line.everyMs, () => toggle(line));
  }

  const ground: StageGround = {
    ...surroundings,
    issuer,
    environments: issuer.environments,
    machines,
    volumes,
    clusters,
    firewalls,
    stock,
    pace: () => pace,
    enroll,
    adopt,
  };
  return {
    ground,
    environments: issuer.environments,
    issueEnvironment: issuer.environment,
    issueVolume: issuer.volume,
    nextAttachmentId: issuer.attachmentId,
    adopt,
    stock,
    schedule: agenda.schedule,
    machines,
    machinesById,
    volumes,
    clusters,
    firewalls,
    meters,
    operate,
    addRule: (owner: RuleOwner, fields: RuleFields, userId: number) =>
      addRule(surroundings, owner, fields, {userId, pace}),
    removeRule: (owner: RuleOwner, ruleId: number, userId: number) =>
      removeRule(surroundings, owner, ruleId, {userId, pace}),
    now: () => moment,
    plan: (blueprint: Blueprint) => agenda.schedule(blueprint.createdAt, () => born(blueprint)),
    planVolume: (blueprint: Parameters<Issuer['volume']>[0]) =>
      agenda.schedule(blueprint.createdAt, () => adopt(issuer.volume(blueprint))),
    endPast: () => {
      for (const cluster of scenario.clusters) clusters.push(issuer.cluster(cluster));
      for (const firewall of scenario.firewalls) firewalls.push(issuer.firewall(firewall, machines));
      stock.open();
      pace = isFaithful ? 'faithful' : 'quick';
    },
    perform: (line: ScriptLine) => {
      if (line.kind === 'toggle') agenda.schedule(startedAt + line.firstAfterMs, () => toggle(line));
      else agenda.schedule(startedAt + line.afterMs, () => born({...line.blueprint, createdAt: moment}));
    },
    advanceTo: (target: number) => {
      for (let entry = agenda.takeDue(target); entry !== undefined; entry = agenda.takeDue(target)) {
        moment = entry.at;
        entry.run();
      }
      moment = Math.max(moment, target);
    },
  };
}
