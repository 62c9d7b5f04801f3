import type {KnownKind} from '../../../src/actions/actions.ts';
import {FAULTS} from './faults.ts';
import type {Case} from './run.ts';
import {STAGES} from './stages.ts';

export type CaseFilter = {
  readonly kind?: string | undefined;
  readonly fault?: string | undefined;
};

/** Every action under every fault from one seed. */
export function casesOf(seed: number, {kind, fault}: CaseFilter = {}): readonly Case[] {
  return stages().flatMap(([actionKind, prepare]) =>
    FAULTS.filter(each => fault === undefined || each.name === fault).flatMap(each =>
      kind === undefined || actionKind === kind ? [{kind: actionKind, prepare, fault: each, seed}] : [],
    ),
  );
}

/** What leads to a case again. */
export function pathTo({kind, fault, seed}: Case): string {
  return `--from ${seed} --seeds 1 --kind ${kind} --fault '${fault.name}'`;
}

function stages() {
  return Object.entries(STAGES).map(([kind, prepare]) => [kind as KnownKind, prepare] as const);
}
