import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {getCommand} from '../../src/cli/commands/get.ts';
import {EXIT} from '../../src/domain/exit-codes.ts';
import type {OutputFormat} from '../../src/cli/run-command.ts';
import type {Resource} from '../../src/resources/resource.ts';
import {RESOURCES} from '../../src/resources/resources.ts';
import {run} from '../cli/a-command.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {sweepOf} from '../support/tier.ts';
import {changesIn, EXAMPLES, type ExampleCloud, openExamples} from './example-cloud.ts';
import {FIXED, generated, obeyedIn} from './payloads.ts';
import {type Place, spread} from './texts.ts';

// Every fixed payload in every text of every kind of record, in every format in which it is printed.

const PATIENT = {timeout: 4 * 60 * 60_000};
/** Besides JSON, by which the others are judged. */
const FORMATS: readonly OutputFormat[] = ['table', 'wide', 'csv', 'ndjson', 'yaml', 'name'];
const GENERATED = generated(sweepOf({sample: 4, deep: 60, whole: 1000}), 10);
const PAYLOADS = [
  ...FIXED.filter((_, index) => index % sweepOf({sample: 601, deep: 41, whole: 1}) === 0),
  ...GENERATED,
];
const KINDS = RESOURCES.filter((_, order) => order % sweepOf({sample: 4, deep: 1}) === 0);
/** `skydeck get events` reads no more histories than this. */
const MOST_HISTORIES = 60;
/** In bytes: a list that does not come in pages is refused above 1 MiB, as it is served, with all characters escaped. */
const LARGEST_ANSWER = 300_000;
/** How a payload looks once it is harmless. */
const ESCAPED = /[\u2400-\u2421]|<U\+|\\u00/;

describe('skydeck get prints nothing that a terminal obeys', PATIENT, () => {
  test.each(
    KINDS.map((resource, order) => [resource.names[0], resource, order] as const),
  )('of %s, whichever text it is in', async (name, resource, order) => {
    const cloud = await openExamples();
    const usual = await printed(cloud, resource, 'wide');
    // Payloads that are numbers, in the place of ids, can be the same id twice: then the list may be incomplete.
    const codes = [usual.exitCode, EXIT.noAnswer];
    const asked = cloud.asked();
    let textCount = 0;
    let shownCount = 0;
    for (const path of asked) {
      for (const places of await changesIn(path)) {
        for (const body of bodiesWith(name, path, places)) {
          cloud.answers.set(path, body);
          const json = await printed(cloud, resource, 'json');
          expect(codes).toContain(json.exitCode);
          const count = JSON.parse(json.text).length;
          for (const format of sweepOf({sample: [FORMATS[order % FORMATS.length] ?? 'table'], deep: FORMATS})) {
            const {text, exitCode} = await printed(cloud, resource, format);
            expect(codes).toContain(exitCode);
            if (ESCAPED.test(text)) shownCount += 1;
            expectWhole(text, {format, count});
          }
        }
        textCount += places.length;
        cloud.answers.delete(path);
      }
    }
    reportCounted('generated payloads in other outputs', GENERATED.length);
    reportMeasured(`${name}: ${PAYLOADS.length} payloads in ${textCount} texts`);
    // Payloads that are never printed would prove nothing.
    expect(Math.min(textCount, sweepOf({sample: 1, deep: shownCount}))).toBeGreaterThan(0);
  });
});

/** The answers with which each payload was in each place. */
function bodiesWith(name: string, path: string, places: readonly Place[]): readonly unknown[] {
  const {answer} = EXAMPLES.get(path) ?? {};
  return inAnswers(name === 'events' && !path.endsWith('/events') ? MOST_HISTORIES : PAYLOADS.length);

  function inAnswers(size: number): readonly unknown[] {
    const starts = Array.from({length: Math.ceil(PAYLOADS.length / size)}, (_, index) => index * size);
    const bodies = starts.flatMap(start => spread(answer, places, PAYLOADS.slice(start, start + size)));
    const largest = Math.max(...bodies.map(body => Buffer.byteLength(JSON.stringify(body))));
    return largest < LARGEST_ANSWER ? bodies : inAnswers(Math.ceil(size / 2));
  }
}

/** What is printed, if a terminal obeys nothing of it. */
async function printed(
  {simulator}: ExampleCloud,
  {names: [name]}: Resource,
  format: OutputFormat,
): Promise<{text: string; exitCode: number}> {
  const {exitCode, stdout, stderr} = await run(getCommand, `${name} -o ${format}`, {simulator});
  const text = format === 'csv' ? stdout.replaceAll('\r\n', '\n') : stdout;
  for (const output of [text, stderr]) {
    const found = obeyedIn(output, {isPrinted: true});
    if (found !== undefined) expect({found, name, format, line: lineWith(output)}).toBeUndefined();
  }
  return {text, exitCode};
}

/** One line for each record and one for the titles, or one document. */
function expectWhole(text: string, {format, count}: {readonly format: OutputFormat; readonly count: number}): void {
  if (format === 'yaml') return expect(parse(text)).toHaveLength(count);
  const lines = text.split('\n').slice(0, -1);
  if (format === 'ndjson') for (const line of lines) JSON.parse(line);
  // A record may have no name.
  if (format === 'name') return expect(lines.length).toBeLessThanOrEqual(count);
  const hasTitles = format === 'csv' || (format !== 'ndjson' && count > 0);
  expect(lines, format).toHaveLength(count + (hasTitles ? 1 : 0));
}

function lineWith(output: string): string | undefined {
  return output.split('\n').find(line => obeyedIn(line) !== undefined);
}
