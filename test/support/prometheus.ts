import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {type ExportedMachine, type FakePrometheus, startFakePrometheus} from './fake-prometheus.ts';
import {openHome} from './program.ts';

export const TOKEN = 'CANARY-of-prometheus-0123456789';

/** Closed when the test ends. */
export async function openFakePrometheus(
  given: readonly ExportedMachine[] = [],
): Promise<FakePrometheus & {readonly tokenFile: string}> {
  const fake = await startFakePrometheus(given);
  onTestFinished(fake.close);
  return {...fake, tokenFile: aTokenFile()};
}

/** A home whose profile reads this Prometheus. */
export function homeWithPrometheus(
  {url, tokenFile}: {readonly url: string; readonly tokenFile: string},
  simulator: {readonly url: string},
): ReturnType<typeof openHome> {
  const home = openHome();
  const profiles = {a: {baseUrl: simulator.url, prometheus: {url, tokenFile}}};
  writeFileSync(join(home.path, 'config', 'settings.json'), JSON.stringify({profile: 'a', profiles}), {mode: 0o600});
  return home;
}

function aTokenFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-token-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  const path = join(folder, 'token');
  writeFileSync(path, TOKEN, {mode: 0o600});
  chmodSync(path, 0o600);
  return path;
}
