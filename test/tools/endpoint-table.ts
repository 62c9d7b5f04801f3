// The interface as a table: the program's own list of endpoints, held against the simulator's.
import type {Endpoint} from '../../src/api/endpoint.ts';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import {ROUTES} from '../../src/simulator/http/app.ts';
import {COVERAGE} from './coverage.ts';

/** One line an endpoint. A cell that nothing stands in is empty. */
export function endpointCells(): readonly (readonly string[])[] {
  const routes = new Set(ROUTES.map(({method, path}) => nameOf(method, path)));
  return ENDPOINTS.map(({id, method, template, effect}) => {
    const {screen = '', command = ''} = COVERAGE[id] ?? {};
    return [method, template, effect, id, routes.has(nameOf(method, template)) ? 'yes' : '', screen, command];
  });
}

/** The same as the README shows it. */
export function endpointTable(): string {
  const rows = endpointCells().map(([method, path, effect, id, simulator, screen, command]) => {
    const keys = screen?.split(' ').map(code).join(' ');
    return `| ${method} | ${code(path)} | ${effect} | ${code(id)} | ${simulator} | ${keys} | ${code(command)} |`;
  });
  return [
    '| | path | effect | client call | simulator | pane and key | command |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Path parameters have names of their own on each side. */
function nameOf(method: Endpoint['method'] | 'PATCH', path: string): string {
  return `${method} ${path.replaceAll(/:[a-z_]+|\{\w+\}/g, '{}')}`;
}

function code(text = ''): string {
  return `\`${text}\``;
}
