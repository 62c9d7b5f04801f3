import {chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {describe, expect, it, onTestFinished} from 'vitest';
import {epochMs, SECOND_MS} from '../../src/domain/time.ts';
import type {Mute} from '../../src/domain/triage/mute.ts';
import {Mutes} from '../../src/state/mutes.ts';
import {createVirtualClock} from '../support/clock.ts';

const AT = epochMs(Date.UTC(2026, 10, 20, 12));
const SEEN: Mute = {kind: 'acknowledged', finding: 'idle vm 7', severity: 'warning', at: AT, organizationId: 3};

function aPlace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mutes-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return join(folder, 'findings', 'here.json');
}

describe('what is muted', () => {
  it('is there after a restart, in a file of mode 0600 in a folder of mode 0700', () => {
    const [path, {clock}] = [aPlace(), createVirtualClock()];
    const kept: Mute = {kind: 'kept', resourceType: 'vm', resourceId: 7, at: AT, until: epochMs(8e15)};
    expect(new Mutes(path, clock).add([SEEN])).toBeUndefined();
    expect(new Mutes(path, clock).add([{...kept, until: epochMs(clock.wallNow() + 1000)}])).toBeUndefined();
    expect(new Mutes(path, clock).all()).toMatchObject([SEEN, {kind: 'kept', resourceId: 7}]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it('is one mute for each finding, the last that was chosen, and can be undone', () => {
    const {clock} = createVirtualClock();
    const mutes = new Mutes(aPlace(), clock);
    mutes.add([SEEN]);
    const snoozed: Mute = {...SEEN, kind: 'snoozed', until: epochMs(clock.wallNow() + 1000)};
    mutes.add([snoozed]);
    expect(mutes.all()).toEqual([snoozed]);
    mutes.add([{...SEEN, organizationId: 4}]);
    expect(mutes.all()).toHaveLength(2);
    mutes.remove([snoozed]);
    expect(mutes.all()).toEqual([{...SEEN, organizationId: 4}]);
  });

  it('is seen by another skydeck within seconds, as the same list until it changes', async () => {
    const [path, time] = [aPlace(), createVirtualClock()];
    const [one, other] = [new Mutes(path, time.clock), new Mutes(path, time.clock)];
    expect(other.all()).toEqual([]);
    one.add([SEEN]);
    await time.advance(5 * SECOND_MS);
    const seen = other.all();
    expect(seen).toEqual([SEEN]);
    await time.advance(5 * SECOND_MS);
    expect(other.all()).toBe(seen);
  });

  it('is dropped when its time is over', async () => {
    const [path, time] = [aPlace(), createVirtualClock()];
    const mutes = new Mutes(path, time.clock);
    mutes.add([{...SEEN, kind: 'snoozed', until: epochMs(time.clock.wallNow() + SECOND_MS)}]);
    await time.advance(2 * SECOND_MS);
    mutes.add([{...SEEN, finding: 'idle vm 8'}]);
    expect(JSON.parse(readFileSync(path, 'utf8')).mutes).toMatchObject([{finding: 'idle vm 8'}]);
  });

  it('keeps what it understands of a file, and reads none that others can change or that is a link', () => {
    const [path, {clock}] = [aPlace(), createVirtualClock()];
    new Mutes(path, clock).add([SEEN]);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify({mutes: [{kind: 'from the future'}, ...JSON.parse(text).mutes]}));
    expect(new Mutes(path, clock).all()).toEqual([SEEN]);
    chmodSync(path, 0o666);
    expect(new Mutes(path, clock).all()).toEqual([]);
    rmSync(path);
    writeFileSync(`${path}.real`, text, {mode: 0o600});
    symlinkSync(`${path}.real`, path);
    expect(new Mutes(path, clock).all()).toEqual([]);
  });

  it('holds for the session where it cannot be written, and says why', () => {
    const [path, {clock}] = [aPlace(), createVirtualClock()];
    writeFileSync(dirname(path), 'a file in the place of the folder');
    const mutes = new Mutes(path, clock);
    expect(mutes.add([SEEN])).toMatch(/^for this session only: .*here\.json cannot be written \(.+\)$/);
    expect(mutes.all()).toEqual([SEEN]);
  });
});
