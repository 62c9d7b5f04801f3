import {createServer} from 'node:http';
import {onTestFinished} from 'vitest';
import {wireExample} from '../api/wire-example.ts';
import {sweepOf} from '../support/tier.ts';
import {type AnyRead, clientOf, PARAMETERS, READS} from './one-answer.ts';
import {at, type Place, placesByRecord, spread} from './texts.ts';

/** Around the records of an answer, and never printed with them. */
const ENVELOPE = /^(?:status|message|error_reason)$/;

type Example = {readonly endpoint: AnyRead; readonly answer: unknown};
/** The wire example of each answer, by its path. */
export const EXAMPLES: ReadonlyMap<string, Example> = new Map(
  READS.map(endpoint => [
    pathOf(endpoint.path(PARAMETERS)),
    {endpoint, answer: JSON.parse(wireExample(endpoint.id))} as const,
  ]),
);

/**
 * The texts of the records of an answer: together those without which a record can be read as well, and each other
 * alone. In a sample only the first of these.
 */
export async function changesIn(path: string): Promise<readonly (readonly Place[])[]> {
  const example = EXAMPLES.get(path);
  if (example === undefined) return [];
  const {endpoint, answer} = example;
  const all = placesByRecord(answer).map(places => places.filter(([name]) => !ENVELOPE.test(`${name}`)));
  const changes: (readonly Place[])[] = [];
  const records = all.filter(({length}) => length > 0);
  for (const places of records.slice(0, sweepOf({sample: 1, deep: records.length}))) {
    const [free, needed]: [Place[], Place[]] = [[], []];
    for (const place of places) ((await isReadWith(endpoint, answer, place)) ? free : needed).push(place);
    if (free.length > 0) changes.push(free);
    changes.push(...needed.map(place => [place]));
  }
  return changes.slice(0, sweepOf({sample: 1, deep: changes.length}));
}

/** Whether the record is read as well when this text of it is another. */
async function isReadWith(endpoint: AnyRead, answer: unknown, place: Place): Promise<boolean> {
  const [usual, changed] = await Promise.all(
    [`${at(answer, place)}`, '\u001bc'].map(text =>
      clientOf({body: JSON.stringify(spread(answer, [place], [text])[0])}).read(endpoint, PARAMETERS),
    ),
  );
  return (
    usual?.ok === true && changed?.ok === true && changed.value.quarantined.length === usual.value.quarantined.length
  );
}

/** Unlike any payload: a row of digits after a field `…key` would rightly be masked as `key-0123456789`. */
const EXAMPLE_KEY = 'q7Zk4vXw9TgRm2Hs';

export type ExampleCloud = Awaited<ReturnType<typeof openExamples>>;

/** A service that gives the example of each answer, or another that stands in for it. */
export async function openExamples() {
  const answers = new Map<string, unknown>();
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    const path = pathOf((request.url ?? '').replace(/^\/v1/, ''));
    asked.add(path);
    const answer = answers.get(path) ?? EXAMPLES.get(path)?.answer;
    response.writeHead(answer === undefined ? 404 : 200, {'content-type': 'application/json'});
    response.end(JSON.stringify(answer ?? {status: false, message: 'not there', error_reason: 'not_found'}));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : '';
  const simulator = {url: `http://127.0.0.1:${port}/v1`, apiKey: EXAMPLE_KEY};
  return {simulator, answers, asked: () => [...asked].filter(path => EXAMPLES.has(path))};
}

/** A path with the id of its example. */
function pathOf(path: string): string {
  return path.replace(/\?.*/, '').replaceAll(/\/\d+/g, '/1');
}
