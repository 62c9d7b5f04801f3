import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import fc from 'fast-check';
import {describe, expect, it, onTestFinished} from 'vitest';
import {createCrashReporter} from '../../src/app/crash-report.ts';
import {jsonText} from '../../src/cli/print/json-text.ts';
import {yamlText} from '../../src/cli/print/yaml-text.ts';
import {csvLine} from '../../src/domain/csv.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {createRedactor} from '../../src/domain/secret.ts';
import {loggedReads, openRequestLog} from '../../src/state/poller/request-log.ts';
import {wireExample} from '../api/wire-example.ts';
import {createVirtualClock} from '../support/clock.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {sweepOf} from '../support/tier.ts';
import {type AnyRead, clientOf, PARAMETERS, READS} from './one-answer.ts';
import {anyPayload, FIXED, generated, obeyedIn} from './payloads.ts';
import {placesIn, spread, textsOf, withTexts} from './texts.ts';

// Gate A: whatever a text of an answer contains, the output of the program contains nothing that a terminal obeys.

const EXAMPLES = new Map(READS.map(({id}) => [id, JSON.parse(wireExample(id))] as const));
/** Each text of each answer is tried with one in this many of the fixed payloads. */
const FIXED_STEP = sweepOf({sample: 1777, deep: 41, whole: 1});
const GENERATED_COUNT = sweepOf({sample: 1000, deep: 20_000, whole: 100_000});
const ERROR_STATUSES = [400, 401, 403, 404, 409, 422, 429, 500, 502];
const PATIENT = {timeout: 30 * 60_000};
/** How a payload looks once it is harmless. */
const ESCAPED = /[\u2400-\u2421]|<U\+/;

describe('hostile texts', PATIENT, () => {
  it('are more than two thousand different fixed ones', () => {
    expect(new Set(FIXED).size).toBeGreaterThan(2000);
  });

  it('leave nothing that a terminal obeys, in whichever text of whichever answer they are', async () => {
    let triedCount = 0;
    for (const endpoint of READS) {
      const example = EXAMPLES.get(endpoint.id);
      for (const [order, place] of placesIn(example).entries()) {
        const payloads = FIXED.filter((_, index) => index % FIXED_STEP === order % FIXED_STEP);
        triedCount += payloads.length;
        for (const body of spread(example, [place], payloads)) await expectShown(endpoint, {httpStatus: 200, body});
      }
    }
    reportCounted('fixed payloads', new Set(FIXED).size);
    reportMeasured(`${FIXED.length} fixed payloads, ${triedCount} times in a text`);
    expect(triedCount).toBeGreaterThan(1000);
  });

  it('leave nothing that a terminal obeys when every text and every name of a field is one', async () => {
    const payloads = fc.sample(anyPayload, {numRuns: GENERATED_COUNT, seed: 6});
    let at = 0;
    const next = () => {
      at += 1;
      return payloads[at % payloads.length] ?? '';
    };
    let answerCount = 0;
    for (; at < payloads.length; answerCount += 1) {
      const endpoint = READS[answerCount % READS.length];
      if (endpoint === undefined) break;
      const body = withTexts(EXAMPLES.get(endpoint.id), {
        // Some known words and times stay as they are, so that records are read and not quarantined.
        change: (text, place) => ((place + answerCount) % 3 === 0 ? text : next()),
        extraName: next,
      });
      await expectShown(endpoint, {httpStatus: 200, body});
    }
    reportCounted('generated payloads', at);
    reportMeasured(`${at} generated payloads in ${answerCount} answers`);
  });

  it('leave nothing that a terminal obeys in a failure', async () => {
    const payloads = [...FIXED, ...fc.sample(anyPayload, {numRuns: GENERATED_COUNT / 10, seed: 7})];
    const [endpoint] = READS;
    if (endpoint === undefined) throw new Error('Expected a read.');
    const step = sweepOf({sample: 10, deep: 1});
    for (let index = 0; index < payloads.length; index += step) {
      const payload = payloads[index] ?? '';
      const httpStatus = ERROR_STATUSES[index % ERROR_STATUSES.length] ?? 500;
      const body = {status: false, message: payload, error_reason: payload, [payload]: payload};
      await expectShown(endpoint, {httpStatus, body});
    }
  });
});

describe('the file of --log', PATIENT, () => {
  it('contains nothing that a terminal obeys, in one line for each request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skydeck-log-'));
    onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
    const path = join(folder, 'requests.log');
    const {clock} = createVirtualClock();
    const log = openRequestLog(path, clock, createRedactor([]));
    const [endpoint] = READS;
    if (endpoint === undefined) throw new Error('Expected a read.');
    const step = sweepOf({sample: 20, deep: 1});
    const payloads = [...FIXED.filter((_, index) => index % step === 0), ...generated(GENERATED_COUNT / 10, 11)];
    for (const [index, payload] of payloads.entries()) {
      const httpStatus = ERROR_STATUSES[index % ERROR_STATUSES.length] ?? 500;
      const body = JSON.stringify({status: false, message: payload, error_reason: payload});
      const client = loggedReads(clientOf({httpStatus, body}), log, clock);
      // What a person typed goes into a request as a safe text, too.
      await client.read(endpoint, {...PARAMETERS, name: safeText(payload)});
    }
    const written = readFileSync(path, 'utf8');
    const lines = written.split('\n').slice(0, -1);
    for (const line of lines) if (obeyedIn(line) !== undefined) expect({line}).toBeUndefined();
    expect(lines).toHaveLength(payloads.length);
    // Payloads that are never written would prove nothing.
    expect(lines.filter(line => ESCAPED.test(line)).length).toBeGreaterThan(payloads.length / 2);
    reportCounted('lines of the log', lines.length);
    reportMeasured(`${lines.length} lines of the log`);
  });
});

describe('output for other programs', () => {
  it.each<[string, (payload: string) => string]>([
    ['JSON', payload => jsonText({[payload]: [payload]}, {showsSecrets: true})],
    ['YAML', payload => yamlText({[payload]: [payload]}, {showsSecrets: true}).trimEnd()],
    ['CSV', payload => csvLine([safeText(payload)]).trimEnd()],
    ['a crash', crashOf()],
  ])('contains nothing that a terminal obeys: %s', (_name, write) => {
    fc.assert(
      fc.property(anyPayload, payload => {
        expect(obeyedIn(write(payload), {isPrinted: true})).toBeUndefined();
      }),
      {numRuns: GENERATED_COUNT / 10, seed: 8},
    );
    const step = sweepOf({sample: 40, deep: 1});
    for (const payload of FIXED.filter((_, index) => index % step === 0))
      expect(obeyedIn(write(payload), {isPrinted: true})).toBeUndefined();
  });
});

function crashOf(): (payload: string) => string {
  // Without a folder to store it in, the whole report is printed.
  const {report} = createCrashReporter({HOME: '/nowhere'}, []);
  return payload => report(new TypeError(payload));
}

async function expectShown(
  endpoint: AnyRead,
  answer: {readonly httpStatus: number; readonly body: unknown},
): Promise<void> {
  const client = clientOf({httpStatus: answer.httpStatus, body: JSON.stringify(answer.body)});
  const read = await client.read(endpoint, PARAMETERS);
  const raw = await client.readRaw(endpoint, PARAMETERS);
  const printed = raw.ok ? jsonText(raw.value.raw, {showsSecrets: true}) : '';
  const found = [...textsOf(read), ...textsOf(raw.ok ? printed : raw)].map(text => obeyedIn(text)).find(Boolean);
  if (found !== undefined) expect({endpoint: endpoint.id, found, answer}).toEqual({found: undefined});
}
