import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {describe, expect, it, onTestFinished} from 'vitest';
import {epochMs, SECOND_MS} from '../../src/domain/time.ts';
import type {Mute} from '../../src/domain/triage/mute.ts';
import {Mutes} from '../../src/state/mutes.ts';
import {createVirtualClock} from '../support/clock.ts';

const AT = epochMs(Date.UTC(2026, 10, 20, 12));
const SEEN: Mute = {kind: 'acknowledged', finding: 'idle vm 7', severity: 'warning', at: AT, organizationId: 3};

function aPlace() {
  const folder = mkdtempSync(join(tmpdir(), 'mutes-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  const file = {environment: {XDG_STATE_HOME: folder}, name: 'here.json'};
  return {file, path: join(folder, 'skydeck', 'findings', 'here.json')};
}

describe('a mute', () => {
  it('survives a restart, in a file of mode 0600 in a folder of mode 0700', () => {
    const [{file, path}, {clock}] = [aPlace(), createVirtualClock()];
    const kept: Mute = {kind: 'kept', resourceType: 'vm', resourceId: 7, at: AT, until: epochMs(8e15)};
    expect(new Mutes(file, clock).add([SEEN])).toBeUndefined();
    expect(new Mutes(file, clock).add([{...kept, until: epochMs(clock.wallNow() + 1000)}])).toBeUndefined();
    expect(new Mutes(file, clock).all()).toMatchObject([SEEN, {kind: 'kept', resourceId: 7}]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it('replaces an earlier mute of the same finding, and can be removed', () => {
    const {clock} = createVirtualClock();
    const mutes = new Mutes(aPlace().file, clock);
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
    const [{file}, time] = [aPlace(), createVirtualClock()];
    const [one, other] = [new Mutes(file, time.clock), new Mutes(file, time.clock)];
    expect(other.all()).toEqual([]);
    one.add([SEEN]);
    await time.advance(5 * SECOND_MS);
    const seen = other.all();
    expect(seen).toEqual([SEEN]);
    await time.advance(5 * SECOND_MS);
    expect(other.all()).toBe(seen);
  });

  it('is dropped from the file once it has expired', async () => {
    const [{file, path}, time] = [aPlace(), createVirtualClock()];
    const mutes = new Mutes(file, time.clock);
    mutes.add([{...SEEN, kind: 'snoozed', until: epochMs(time.clock.wallNow() + SECOND_MS)}]);
    await time.advance(2 * SECOND_MS);
    mutes.add([{...SEEN, finding: 'idle vm 8'}]);
    expect(JSON.parse(readFileSync(path, 'utf8')).mutes).toMatchObject([{finding: 'idle vm 8'}]);
  });

  it('is read from a file with unknown entries, but not from one that others can write or that is a link', () => {
    const [{file, path}, {clock}] = [aPlace(), createVirtualClock()];
    new Mutes(file, clock).add([SEEN]);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify({mutes: [{kind: 'from the future'}, ...JSON.parse(text).mutes]}));
    expect(new Mutes(file, clock).all()).toEqual([SEEN]);
    chmodSync(path, 0o666);
    expect(new Mutes(file, clock).all()).toEqual([]);
    rmSync(path);
    writeFileSync(`${path}.real`, text, {mode: 0o600});
    symlinkSync(`${path}.real`, path);
    expect(new Mutes(file, clock).all()).toEqual([]);
  });

  it.each<[string, (path: string) => void, string]>([
    ['is damaged', path => writeFileSync(path, '{"mutes": [', {mode: 0o600}), 'is damaged'],
    ['is of another kind', path => writeFileSync(path, '[]', {mode: 0o600}), 'is damaged'],
    ['can be changed by others', path => chmodSync(path, 0o666), 'can be changed by others: run chmod 600 PATH'],
  ])('says once that its file %s', async (_, spoil, reason) => {
    const [{file, path}, time] = [aPlace(), createVirtualClock()];
    const troubles: string[] = [];
    const told = {...file, onTrouble: (...trouble: string[]) => void troubles.push(trouble.join(': '))};
    new Mutes(file, time.clock).add([SEEN]);
    expect(new Mutes(told, time.clock).trouble()).toBeUndefined();
    spoil(path);
    const mutes = new Mutes(told, time.clock);
    for (let times = 0; times < 3; times += 1) {
      mutes.all();
      await time.advance(6 * SECOND_MS);
    }
    const words = `${path} ${reason.replace('PATH', path)}`;
    expect(troubles).toEqual([`findings/${file.name}: not read: ${words}`]);
    expect(mutes.trouble()).toBe(`acknowledged and snoozed findings are listed again: ${words}`);
    mutes.add([SEEN]);
    expect(mutes.trouble()).toBeUndefined();
  });

  it('leaves entries of a later version in the file', () => {
    const [{file, path}, {clock}] = [aPlace(), createVirtualClock()];
    new Mutes(file, clock).add([SEEN]);
    const later = {kind: 'from the future', finding: 'idle vm 9', until: 'spring'};
    writeFileSync(path, JSON.stringify({mutes: [later, SEEN]}));
    const mutes = new Mutes(file, clock);
    expect(mutes.add([{...SEEN, finding: 'idle vm 8'}])).toBeUndefined();
    expect(mutes.remove([SEEN])).toBeUndefined();
    expect(JSON.parse(readFileSync(path, 'utf8')).mutes).toEqual([{...SEEN, finding: 'idle vm 8'}, later]);
    expect(mutes.all()).toEqual([{...SEEN, finding: 'idle vm 8'}]);
  });

  it.each(['{"mutes": [', '[]', '{"muted": []}'])('puts a file aside that holds %j, and says so', async text => {
    const [{file, path}, time] = [aPlace(), createVirtualClock()];
    mkdirSync(dirname(path), {recursive: true, mode: 0o700});
    writeFileSync(path, text, {mode: 0o600});
    const mutes = new Mutes(file, time.clock);
    expect(mutes.all()).toEqual([]);
    await time.advance(5 * SECOND_MS);
    expect(mutes.all()).toEqual([]);
    const said = mutes.add([SEEN]);
    const [aside = ''] = readdirSync(dirname(path)).filter(name => name.endsWith('.unreadable'));
    expect(readFileSync(join(dirname(path), aside), 'utf8')).toBe(text);
    expect(said).toBe(`earlier ones cannot be read and are kept in ${join(dirname(path), aside)}`);
    expect(new Mutes(file, time.clock).all()).toEqual([SEEN]);
    expect(mutes.add([{...SEEN, finding: 'idle vm 8'}])).toBeUndefined();
    expect(readdirSync(dirname(path))).toHaveLength(2);
  });

  it('applies to this session when it cannot be written, and says why', () => {
    const [{file, path}, {clock}] = [aPlace(), createVirtualClock()];
    mkdirSync(dirname(dirname(path)), {mode: 0o700});
    writeFileSync(dirname(path), 'a file in the place of the folder');
    const mutes = new Mutes(file, clock);
    expect(mutes.add([SEEN])).toMatch(/^for this session only: .*here\.json cannot be written \(.+\)$/);
    expect(mutes.all()).toEqual([SEEN]);
  });

  it('is not written through a state folder that is a link', () => {
    const [{file, path}, {clock}] = [aPlace(), createVirtualClock()];
    const elsewhere = mkdtempSync(join(tmpdir(), 'mutes-'));
    onTestFinished(() => rmSync(elsewhere, {recursive: true, force: true}));
    symlinkSync(elsewhere, dirname(dirname(path)));
    expect(new Mutes(file, clock).add([SEEN])).toMatch(
      /^for this session only: .* cannot be written \(.*links are not followed\)$/,
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
