import fs, {
  appendFileSync,
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
import {syncBuiltinESMExports} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {isMainThread} from 'node:worker_threads';
import {describe, expect, it, onTestFinished} from 'vitest';
import {ACTIONS} from '../../../src/actions/actions.ts';
import type {PowerAction} from '../../../src/actions/machines/power.ts';
import type {OperationPhase} from '../../../src/domain/operation.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {type JournalEntry, openJournal} from '../../../src/state/operations/journal.ts';

const MIB = 1024 * 1024;
const id = virtualMachineId(793001);

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-journal-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return folder;
}

function anEntry(operationId: string, phase: OperationPhase, rest: Partial<JournalEntry> = {}): JournalEntry {
  return {
    operationId,
    at: epochMs(1_700_000_000_000),
    phase,
    action: {kind: 'vm.stop', id},
    subjectName: safeText('gpu-7'),
    initialStatus: 'ACTIVE',
    ...rest,
  };
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

function withUmask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}

describe('openJournal', () => {
  it('gives each line that was added since as news, and says who wrote it', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const [own, other] = [openJournal(path, ACTIONS), openJournal(path, ACTIONS)];
    own.append(anEntry('earlier', 'sent'));
    expect(own.latest()).toStrictEqual({
      entries: [{...anEntry('earlier', 'sent'), sentAt: anEntry('earlier', 'sent').at}],
      raws: [],
      unreadableCount: 0,
    });
    const writer = {host: 'here', pid: 99};
    const added = [anEntry('a', 'sent', {writer}), anEntry('a', 'accepted', {writer}), anEntry('b', 'sent', {writer})];
    other.append(...added);
    expect(own.news()).toEqual(added);
    other.append(anEntry('b', 'accepted', {writer}));
    expect(own.news()).toEqual([anEntry('b', 'accepted', {writer})]);
    expect(own.news()).toEqual([]);
  });

  it('says what another key sent, also when this one has journaled its end, and nothing of lines without a key', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const [ours, theirs] = ['0000aaaa', '0000bbbb'].map(keyDigest => ({writer: {host: 'here', pid: 99, keyDigest}}));
    openJournal(path, ACTIONS).append(
      anEntry('ended by us', 'sent', theirs),
      anEntry('ended by us', 'CONFIRMED', ours),
      anEntry('ended by them', 'sent', ours),
      anEntry('ended by them', 'CONFIRMED', theirs),
      anEntry('old', 'CONFIRMED', {writer: {host: 'here', pid: 99}}),
      anEntry('oldest', 'CONFIRMED'),
    );
    const othersFor = (keyDigest?: string) =>
      openJournal(path, ACTIONS, undefined, keyDigest)
        .latest()
        .entries.flatMap(({operationId, isByOtherKey}) => (isByOtherKey === true ? operationId : []));
    expect(othersFor('0000aaaa')).toEqual(['ended by us']);
    expect(othersFor('0000bbbb')).toEqual(['ended by them']);
    expect(othersFor()).toEqual([]);
  });

  it('reads nothing through a folder that is a link', () => {
    const folder = aFolder();
    mkdirSync(join(folder, 'real'));
    openJournal(join(folder, 'real', 'journal.jsonl'), ACTIONS).append(anEntry('a', 'sent'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    const {entries, fault} = openJournal(join(folder, 'link', 'journal.jsonl'), ACTIONS).latest();
    expect(entries).toEqual([]);
    expect(fault).toBeDefined();
  });

  it.skipIf(process.platform !== 'linux')('leaves no file open, however often it is used', () => {
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    for (let count = 0; count < 30; count += 1) {
      const journal = openJournal(join(aFolder(), 'journal.jsonl'), ACTIONS);
      journal.append(anEntry('a', 'sent'));
      journal.latest();
    }
    expect(openFiles() - before).toBeLessThan(15);
  });

  it('is empty and creates no file before the first entry', () => {
    const path = join(aFolder(), 'deep', 'journal.jsonl');
    expect(openJournal(path, ACTIONS).latest()).toEqual({entries: [], raws: [], unreadableCount: 0});
    expect(readdirSync(dirname(dirname(path)))).toEqual([]);
  });

  // Threads cannot set it.
  it.skipIf(!isMainThread).each([0o000, 0o022, 0o077])(
    'restricts file and folders to their owner under umask %o',
    mask => {
      const path = join(aFolder(), 'state', 'journal', 'journal.jsonl');
      withUmask(mask);
      openJournal(path, ACTIONS).append(anEntry('a', 'sent'));
      expect([modeOf(path), modeOf(dirname(path)), modeOf(dirname(dirname(path)))]).toEqual([0o600, 0o700, 0o700]);
    },
  );

  it('makes a file and folder private that others could read before', () => {
    const folder = join(aFolder(), 'journal');
    const path = join(folder, 'journal.jsonl');
    mkdirSync(folder);
    writeFileSync(path, '');
    chmodSync(folder, 0o755);
    chmodSync(path, 0o644);
    openJournal(path, ACTIONS).append(anEntry('a', 'sent'));
    expect([modeOf(path), modeOf(folder)]).toEqual([0o600, 0o700]);
  });

  it('returns what was written, even after it is opened again', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const actions: readonly PowerAction[] = [
      {kind: 'vm.start', id},
      {kind: 'vm.stop', id},
      {kind: 'vm.hard-reboot', id},
      {kind: 'vm.hibernate', id, retainsIp: true},
      {kind: 'vm.restore', id},
    ];
    const entries = actions.map((action, index) =>
      anEntry(`op-${index}`, 'sent', {action, detail: safeText('why'), confirmedAt: epochMs(1_600_000_000_000)}),
    );
    const journal = openJournal(path, ACTIONS);
    for (const entry of entries) journal.append(entry);
    expect(openJournal(path, ACTIONS).latest()).toMatchObject({entries, raws: [], unreadableCount: 0});
  });

  it('keeps raw requests apart from actions, and reports only actions as news', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const watching = openJournal(path, ACTIONS);
    const journal = openJournal(path, ACTIONS);
    const at = epochMs(1_700_000_000_000);
    const raw = {operationId: 'raw', request: safeText('DELETE /core/clusters/7/nodes/9'), confirmedAt: at};
    journal.append({...raw, at, phase: 'sent'});
    journal.append(anEntry('a', 'sent'));
    const answered = {...raw, at: epochMs(at + 900), phase: 'REFUSED', detail: safeText('no such node')} as const;
    journal.append(answered);
    expect(openJournal(path, ACTIONS).latest()).toMatchObject({
      entries: [anEntry('a', 'sent')],
      raws: [answered],
      unreadableCount: 0,
    });
    expect(watching.news()).toEqual([anEntry('a', 'sent')]);
  });

  it('redacts a secret wherever it appears in a line', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const journal = openJournal(path, ACTIONS, text => text.replaceAll('k"ey', '[key]'));
    const action = {kind: 'vm.set-labels', id, labels: [safeText('k"ey')]} as const;
    journal.append(
      anEntry('a', 'REFUSED', {action, subjectName: safeText('gpu k"ey'), detail: safeText('no k"ey here')}),
    );
    const at = epochMs(1_700_000_000_000);
    journal.append({operationId: 'b', at, confirmedAt: at, phase: 'sent', request: safeText('POST /core/x?q=k"ey')});
    const written = readFileSync(path, 'utf8');
    expect(written.match(/\[key\]/g)).toHaveLength(4);
    expect(written).not.toMatch(/k\\?"ey/);
  });

  it('gives the last entry of each operation', () => {
    const journal = openJournal(join(aFolder(), 'journal.jsonl'), ACTIONS);
    for (const [operationId, phase] of [
      ['a', 'sent'],
      ['b', 'sent'],
      ['a', 'accepted'],
      ['b', 'unknown'],
      ['a', 'CONFIRMED'],
    ] as const) {
      journal.append(anEntry(operationId, phase));
    }
    expect(journal.latest().entries.map(({operationId, phase}) => [operationId, phase])).toEqual([
      ['a', 'CONFIRMED'],
      ['b', 'unknown'],
    ]);
  });

  it('skips unreadable lines and counts them', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const good = JSON.stringify(anEntry('a', 'sent'));
    const oddities = [
      good.slice(0, 40),
      'null',
      '[]',
      '{"__proto__": {"phase": "sent"}}',
      JSON.stringify({...anEntry('b', 'sent'), phase: 'burnt'}),
      JSON.stringify({...anEntry('c', 'sent'), action: {kind: 'vm.explode', id: 1}}),
      JSON.stringify({...anEntry('d', 'sent'), action: {kind: 'vm.stop', id: -1}}),
      JSON.stringify({...anEntry('e', 'sent'), at: 8.64e15 + 1}),
      JSON.stringify({...anEntry('f', 'sent'), confirmedAt: 253_402_300_800_000}),
      JSON.stringify(anEntry('g', 'sent')).replace('1700000000000', '1e300'),
      JSON.stringify({operationId: 'h', at: 1, confirmedAt: -1e17, phase: 'sent', request: 'POST /x'}),
    ];
    writeFileSync(path, `${[...oddities, good].join('\n')}\n`);
    const latest = openJournal(path, ACTIONS).latest();
    expect(latest.entries.map(({operationId}) => operationId)).toEqual(['a']);
    expect(latest.unreadableCount).toBe(oddities.length);
  });

  it('does not lose an entry written after a line that a power failure cut off', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const journal = openJournal(path, ACTIONS);
    journal.append(anEntry('a', 'sent'));
    appendFileSync(path, JSON.stringify(anEntry('torn', 'sent')).slice(0, 50));
    journal.append(anEntry('b', 'sent'));
    const latest = openJournal(path, ACTIONS).latest();
    expect(latest.entries.map(({operationId}) => operationId)).toEqual(['a', 'b']);
    expect(latest.unreadableCount).toBe(1);
  });

  it('escapes control characters in text that was tampered with', () => {
    const path = join(aFolder(), 'journal.jsonl');
    writeFileSync(path, `${JSON.stringify({...anEntry('a', 'sent'), subjectName: 'gpu\u001b[2J'})}\n`);
    expect(openJournal(path, ACTIONS).latest().entries[0]?.subjectName).toBe('gpu␛[2J');
  });

  it('reads only the end of a file longer than eight MiB, from a whole line on', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const filler = `${JSON.stringify(anEntry('old', 'CONFIRMED', {detail: safeText('x'.repeat(900))}))}\n`;
    const first = `${JSON.stringify(anEntry('first', 'CONFIRMED'))}\n`;
    writeFileSync(path, first + filler.repeat(Math.ceil((9 * MIB) / filler.length)));
    openJournal(path, ACTIONS).append(anEntry('young', 'sent'));
    const latest = openJournal(path, ACTIONS).latest();
    expect(latest.entries.map(({operationId}) => operationId)).toEqual(['old', 'young']);
    expect(latest.unreadableCount).toBe(0);
    expect(latest.readFrom).toBe(anEntry('old', 'CONFIRMED').at);
  });

  it('reports each added entry as news once, whoever added it', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const [ours, theirs] = [openJournal(path, ACTIONS), openJournal(path, ACTIONS)];
    expect(ours.news()).toEqual([]);
    theirs.append(anEntry('theirs', 'sent'));
    ours.append(anEntry('ours', 'sent'));
    expect(ours.news().map(({operationId}) => operationId)).toEqual(['theirs', 'ours']);
    expect(ours.news()).toEqual([]);
    theirs.append(anEntry('theirs', 'CONFIRMED'));
    expect(ours.news()).toEqual([anEntry('theirs', 'CONFIRMED')]);
    expect(theirs.latest().entries).toHaveLength(2);
    expect(theirs.news()).toEqual([]);
  });

  it('reports nothing again after a fault, and what was added meanwhile once', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const [ours, theirs] = [openJournal(path, ACTIONS), openJournal(path, ACTIONS)];
    theirs.append(anEntry('old', 'sent'), anEntry('old', 'CONFIRMED'));
    expect(ours.latest().entries).toHaveLength(1);
    theirs.append(anEntry('new', 'sent'));
    chmodSync(path, 0o666);
    expect(ours.news()).toEqual([]);
    chmodSync(path, 0o600);
    expect(ours.news()).toEqual([anEntry('new', 'sent')]);
    expect(ours.news()).toEqual([]);
  });

  it('reports the last entry of each operation once the journal can be read for the first time', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const [ours, theirs] = [openJournal(path, ACTIONS), openJournal(path, ACTIONS)];
    theirs.append(anEntry('ended', 'sent'), anEntry('open', 'sent'), anEntry('ended', 'CONFIRMED'));
    chmodSync(path, 0o666);
    expect(ours.latest().fault).toBeDefined();
    expect(ours.news()).toEqual([]);
    chmodSync(path, 0o600);
    expect(ours.news().map(({operationId, phase}) => [operationId, phase])).toEqual([
      ['ended', 'CONFIRMED'],
      ['open', 'sent'],
    ]);
    expect(ours.news()).toEqual([]);
  });

  it('keeps unread news when the whole journal is read in between', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const [ours, theirs] = [openJournal(path, ACTIONS), openJournal(path, ACTIONS)];
    ours.latest();
    theirs.append(anEntry('theirs', 'sent'));
    expect(ours.latest().entries).toHaveLength(1);
    expect(ours.news()).toEqual([anEntry('theirs', 'sent')]);
    expect(ours.news()).toEqual([]);
  });

  it('gives when an operation was sent and when its end was first seen, whatever was added later', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const journal = openJournal(path, ACTIONS);
    const later = (seconds: number) => epochMs(1_700_000_000_000 + seconds * 1000);
    const correction = safeText('it came late');
    journal.append(anEntry('a', 'sent', {at: later(0)}));
    journal.append(anEntry('a', 'unknown', {at: later(40)}));
    journal.append(anEntry('a', 'NO_EFFECT_SEEN', {at: later(45)}));
    journal.append(anEntry('a', 'NO_EFFECT_SEEN', {at: later(90), correction}));
    journal.append(anEntry('b', 'STALE', {at: later(95)}));
    journal.append(anEntry('c', 'sent', {at: later(99)}));
    expect(openJournal(path, ACTIONS).latest().entries).toEqual([
      {...anEntry('a', 'NO_EFFECT_SEEN', {at: later(90), correction}), sentAt: later(0), endedAt: later(45)},
      {...anEntry('b', 'STALE', {at: later(95)}), endedAt: later(95)},
      {...anEntry('c', 'sent', {at: later(99)}), sentAt: later(99)},
    ]);
  });

  it('waits for the rest of a line that is still being written', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const journal = openJournal(path, ACTIONS);
    const line = JSON.stringify(anEntry('a', 'sent'));
    writeFileSync(path, line.slice(0, 30));
    expect(journal.news()).toEqual([]);
    appendFileSync(path, `${line.slice(30)}\n`);
    expect(journal.news()).toEqual([anEntry('a', 'sent')]);
  });

  it('reads a complete entry whose final line break is missing', () => {
    const path = join(aFolder(), 'journal.jsonl');
    writeFileSync(path, JSON.stringify(anEntry('a', 'sent')));
    expect(openJournal(path, ACTIONS).latest()).toMatchObject({
      entries: [anEntry('a', 'sent')],
      raws: [],
      unreadableCount: 0,
    });
  });

  it('starts over when the file is replaced, and reports nothing when it is deleted', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const journal = openJournal(path, ACTIONS);
    for (const each of ['a', 'b', 'c']) journal.append(anEntry(each, 'sent'));
    expect(journal.news()).toHaveLength(3);
    writeFileSync(path, `${JSON.stringify(anEntry('new', 'sent'))}\n`);
    expect(journal.news()).toEqual([anEntry('new', 'sent')]);
    rmSync(path);
    expect(journal.news()).toEqual([]);
  });

  it("does not store a secret from an action or from the service's answer to it", () => {
    const path = join(aFolder(), 'journal.jsonl');
    const detail = safeText('bad address https://user:CANARY@hooks.example');
    const url = safeText('https://user:CANARY@hooks.example');
    openJournal(path, ACTIONS).append(
      anEntry('a', 'REFUSED', {action: {kind: 'vm.set-callback', id, url, isUpdate: false}, detail}),
    );
    expect(readFileSync(path, 'utf8')).not.toContain('CANARY');
  });

  it('throws when the line cannot be written', () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(() => openJournal(join(folder, 'file', 'journal.jsonl'), ACTIONS).append(anEntry('a', 'sent'))).toThrow();
    mkdirSync(join(folder, 'taken'));
    expect(() => openJournal(join(folder, 'taken'), ACTIONS).append(anEntry('a', 'sent'))).toThrow();
  });

  it('says why an existing journal cannot be read', () => {
    const [taken, link] = [join(aFolder(), 'taken'), join(aFolder(), 'link')];
    mkdirSync(taken);
    symlinkSync(taken, link);
    const nothing = {entries: [], raws: [], unreadableCount: 0};
    expect(openJournal(taken, ACTIONS).latest()).toEqual({...nothing, fault: `${taken} is not a plain file`});
    expect(openJournal(link, ACTIONS).latest()).toEqual({
      ...nothing,
      fault: `${link} is a link, and links are not followed`,
    });
  });

  it('has written each line completely when append returns', () => {
    const path = join(aFolder(), 'journal.jsonl');
    const journal = openJournal(path, ACTIONS);
    for (const [index, operationId] of ['a', 'b', 'c'].entries()) {
      journal.append(anEntry(operationId, 'sent'));
      const lines = readFileSync(path, 'utf8').split('\n');
      expect(lines).toHaveLength(index + 2);
      expect(JSON.parse(lines[index] ?? '')).toEqual(anEntry(operationId, 'sent'));
    }
  });

  it('flushes each line to disk, and the folder of a new file too, before append returns', () => {
    const path = join(aFolder(), 'journal', 'here.jsonl');
    const journal = openJournal(path, ACTIONS);
    const flushed = flushedFiles();
    journal.append(anEntry('a', 'sent'));
    expect(flushed()).toEqual([path, dirname(path)]);
    journal.append(anEntry('a', 'CONFIRMED'));
    expect(flushed()).toEqual([path]);
  });
});

/** The files flushed to disk since the last call. Without a power cut, only the call itself can be observed. */
function flushedFiles(): () => readonly string[] {
  const [{openSync: realOpen}, {fsyncSync: realFlush}] = [fs, fs];
  const names = new Map<number, string>();
  let flushed: string[] = [];
  fs.openSync = (...given) => {
    const file = realOpen(...given);
    names.set(file, String(given[0]));
    return file;
  };
  fs.fsyncSync = file => {
    flushed.push(names.get(file) ?? 'unknown');
    realFlush(file);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    [fs.openSync, fs.fsyncSync] = [realOpen, realFlush];
    syncBuiltinESMExports();
  });
  return () => {
    const names = flushed;
    flushed = [];
    return names;
  };
}
