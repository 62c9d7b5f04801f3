import * as z from 'zod';
import type {Simulator} from '../../src/simulator/http/server.ts';

const machineList = z.object({
  instances: z.array(
    z.object({id: z.number(), name: z.string(), status: z.string(), floating_ip: z.string().nullable()}),
  ),
});

export type ColleagueMachine = z.infer<typeof machineList>['instances'][number];

/** The machine as another person with the same key sees it, without the deck. */
export async function machineNamed(simulator: Simulator, name: string): Promise<ColleagueMachine> {
  const {instances} = machineList.parse(await ask(simulator, '/core/virtual-machines'));
  const machine = instances.find(candidate => candidate.name === name);
  if (machine === undefined) throw new Error(`The account has no machine ${name}.`);
  return machine;
}

/** Another person stops a machine, without the deck. */
export async function colleagueStops(simulator: Simulator, name: string): Promise<void> {
  const {id} = await machineNamed(simulator, name);
  await ask(simulator, `/core/virtual-machines/${id}/stop`);
}

/**
 * Every request for an operation that reached the service, such as `stop 793406`. Requests that met a fault are
 * included.
 */
export function operationRequests(simulator: Simulator): string[] {
  return simulator.requests().flatMap(({path}) => {
    const [, id, verb] = OPERATION_PATH.exec(path) ?? [];
    return id === undefined ? [] : [`${verb} ${id}`];
  });
}

/** The operations that took effect, in the same form. */
export function executed(simulator: Simulator): string[] {
  return simulator.executions().map(({verb, id}) => `${verb} ${id}`);
}

const OPERATION_PATH = /^\/core\/virtual-machines\/(\d+)\/(start|stop|hard-reboot|hibernate|hibernate-restore)$/;

async function ask(simulator: Simulator, path: string): Promise<unknown> {
  const answer = await fetch(`${simulator.url}${path}`, {headers: {api_key: simulator.apiKey}});
  if (!answer.ok) throw new Error(`The service answered ${answer.status} to ${path}.`);
  return answer.json();
}
