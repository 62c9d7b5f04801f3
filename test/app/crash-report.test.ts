import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createCrashReporter} from '../../src/app/crash-report.ts';
import {createRedactor, secret} from '../../src/domain/secret.ts';
import {openHome} from '../support/program.ts';

const KEY = 'CANARY-0123456789-abcdef';

function aReporter() {
  const home = openHome();
  const path = join(home.path, 'state', 'skydeck', 'crash.log');
  const reporter = createCrashReporter({...home.environment, SKYDECK_API_KEY: KEY}, ['Node v1']);
  return {home, path, ...reporter, kept: () => readFileSync(path, 'utf8')};
}

test('reports the error in one line, and saves its stack in a file that only its owner can read', () => {
  const {report, path, kept} = aReporter();
  const told = report(new TypeError('something is not a function'));
  expect(told).toBe(`skydeck: internal error: TypeError: something is not a function; the details are in ${path}`);
  expect(kept()).toMatch(/^Node v1\nTypeError: something is not a function\n {4}at .*crash-report\.test\.ts/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('keeps the key and control characters out of the message and the file', () => {
  const {report, learn, kept} = aReporter();
  const other = 'ANOTHER-0123456789-abcdef';
  const error = Object.assign(new Error(`\u001b[31m${KEY} ${btoa(KEY)}`), {request: {headers: {api_key: KEY}}});
  for (const text of [report(error), kept()]) {
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(btoa(KEY));
    expect(text).not.toContain('\u001b');
  }
  learn(createRedactor([secret(other)]));
  expect(`${report(`thrown as a text with ${other}`)}${kept()}`).not.toContain(other);
});

test('reports everything when no file can be written', () => {
  const {home, report} = aReporter();
  writeFileSync(join(home.path, 'state', 'skydeck'), 'no folder');
  const lines = report(new Error('broken')).split('\n');
  expect(lines[0]).toBe('skydeck: internal error: Error: broken');
  expect(lines.slice(1).join('\n')).toMatch(/^Error: broken\n {4}at /);
});
