import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir, userInfo} from 'node:os';
import {dirname, join} from 'node:path';
import fc from 'fast-check';
import {describe, expect, it, onTestFinished, vi} from 'vitest';
import {ACTIONS} from '../../src/actions/actions.ts';
import {
  configFolder,
  createOwnFile,
  NotOursError,
  openOwnFile,
  openStateFolder,
  ownFolder,
  reachTrouble,
  readOwnFile,
  readSettingsFile,
  replaceOwnFile,
  settingsPath,
  stateFolder,
} from '../../src/config/own-files.ts';
import {readKnownNames, writeKnownNames} from '../../src/config/known-names.ts';
import {readLastScreen} from '../../src/config/last-screen.ts';
import {writeKeyFile} from '../../src/config/profiles.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {epochMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {LearntActivity} from '../../src/state/learnt-activity.ts';
import {openJournal} from '../../src/state/operations/journal.ts';
import {openRequestLog} from '../../src/state/poller/request-log.ts';
import {createVirtualClock} from '../support/clock.ts';

const LIMIT = {maxBytes: 1000};

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-own-files-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return folder;
}

function aFile(text = 'text', mode = 0o600): string {
  const path = join(aFolder(), 'file');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

function withUmask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}

function asAnotherUser(): void {
  const own = process.getuid?.() ?? 0;
  vi.spyOn(process, 'getuid').mockReturnValue(own + 1);
}

/** Each puts something other than a file of our own in the place of the file, with the message expected. */
const PLANTED: readonly (readonly [what: string, plant: (path: string) => void, told: RegExp])[] = [
  ['a link to a file of ours', path => symlinkSync(aFile(), path), /is a link, and links are not followed/],
  ['a link to nothing', path => symlinkSync('nowhere', path), /is a link, and links are not followed/],
  ['a pipe', path => void execFileSync('mkfifo', ['-m', '600', path]), /is not a plain file/],
  ['a folder', path => mkdirSync(path), /is not a plain file/],
  ['a file that the group can change', path => plantFile(path, 0o660), /can be changed by others: run chmod 600/],
  ['a file that everybody can change', path => plantFile(path, 0o602), /can be changed by others: run chmod 600/],
];

function plantFile(path: string, mode: number): void {
  writeFileSync(path, 'planted');
  chmodSync(path, mode);
}

describe('in the place of a file,', () => {
  it.each(PLANTED)('%s is neither read nor written to, and not waited for', (_, plant, told) => {
    const path = join(aFolder(), 'file');
    plant(path);
    for (const use of ['read', 'append'] as const) {
      expect(() => openOwnFile(path, use)).toThrow(told);
      expect(() => openOwnFile(path, use)).toThrow(NotOursError);
    }
    expect(() => createOwnFile(path, 'text')).toThrow(/EEXIST/);
  });
});

describe('openOwnFile', () => {
  it('refuses a file of another user', () => {
    const path = aFile();
    asAnotherUser();
    expect(() => openOwnFile(path, 'read')).toThrow(`${path} belongs to another user`);
    expect(() => openOwnFile(path, 'append')).toThrow(`${path} belongs to another user`);
  });

  it('refuses to append to a file that has another name elsewhere, but reads it', () => {
    const other = aFile();
    const path = join(dirname(other), 'name');
    linkSync(other, path);
    expect(() => openOwnFile(path, 'append')).toThrow('is a hard link to another file');
    closeSync(openOwnFile(path, 'read'));
  });

  it('throws the error of the system for a file that does not exist or cannot be opened', () => {
    expect(() => openOwnFile(join(aFolder(), 'nothing'), 'read')).toThrow(/ENOENT/);
    expect(() => openOwnFile(join(aFile(), 'file'), 'append')).toThrow(/is not a folder/);
  });
});

describe('readOwnFile', () => {
  it.each([0o600, 0o400, 0o644, 0o444])('reads a file of mode %o that only we can change', mode => {
    expect(readOwnFile(aFile('text', mode), LIMIT)).toBe('text');
  });

  it.each([0o644, 0o640, 0o604, 0o601, 0o610])('refuses a private file of mode %o, and says what to do', mode => {
    const path = aFile('text', mode);
    expect(() => readOwnFile(path, {...LIMIT, isPrivate: true})).toThrow(
      `${path} can be read by others: run chmod 600 ${path}`,
    );
  });

  it('refuses a file that is larger than its limit', () => {
    expect(readOwnFile(aFile('x'.repeat(1000)), LIMIT)).toHaveLength(1000);
    expect(() => readOwnFile(aFile('x'.repeat(1001)), LIMIT)).toThrow(RangeError);
  });
});

describe('replaceOwnFile', () => {
  it('leaves one file of mode 0600 in the place of a link or another file', () => {
    const folder = aFolder();
    const [path, elsewhere] = [join(folder, 'file'), aFile('elsewhere')];
    symlinkSync(elsewhere, path);
    replaceOwnFile(path, 'first');
    replaceOwnFile(path, 'second');
    expect(readFileSync(path, 'utf8')).toBe('second');
    expect(readFileSync(elsewhere, 'utf8')).toBe('elsewhere');
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('leaves no temporary file behind when a folder has its name', () => {
    const folder = aFolder();
    mkdirSync(join(folder, 'file'));
    expect(() => replaceOwnFile(join(folder, 'file'), 'text')).toThrow(/EISDIR/);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('leaves no temporary file behind when its content cannot be written', () => {
    const folder = aFolder();
    // As on a full disk, the file was created by then.
    expect(() => Reflect.apply(replaceOwnFile, undefined, [join(folder, 'file'), 7n])).toThrow(TypeError);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('ownFolder', () => {
  it('is created for its owner only, and so are the folders above it', () => {
    withUmask(0);
    const path = join(aFolder(), 'one', 'two');
    ownFolder(path);
    expect([modeOf(dirname(path)), modeOf(path)]).toEqual([0o700, 0o700]);
  });

  it.each([
    0o755, 0o777, 0o770,
  ])('makes a folder of mode %o private, and empties only a cache that others could write to', mode => {
    const isFilledByOthers = (mode & 0o022) !== 0;
    for (const isCache of [false, true]) {
      const path = aFolder();
      mkdirSync(join(path, 'folder'));
      writeFileSync(join(path, 'folder', 'entry'), '');
      chmodSync(path, mode);
      ownFolder(path, {isCache});
      expect(modeOf(path)).toBe(0o700);
      expect(existsSync(join(path, 'folder', 'entry'))).toBe(!(isCache && isFilledByOthers));
    }
  });

  it('empties a cache without following the links in it', () => {
    const [path, outside] = [aFolder(), aFile('outside')];
    symlinkSync(dirname(outside), join(path, 'link'));
    chmodSync(path, 0o777);
    ownFolder(path, {isCache: true});
    expect(readdirSync(path)).toEqual([]);
    expect(readFileSync(outside, 'utf8')).toBe('outside');
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['a link to a folder', path => symlinkSync(aFolder(), path), /is not a folder, or a link to one/],
    ['a link to nothing', path => symlinkSync('nowhere', path), /is not a folder, or a link to one/],
    ['a file', path => writeFileSync(path, ''), /is not a folder, or a link to one/],
    ['a pipe', path => void execFileSync('mkfifo', [path]), /is not a folder, or a link to one/],
  ])('refuses %s', (_, plant, told) => {
    const path = join(aFolder(), 'folder');
    plant(path);
    expect(() => ownFolder(path)).toThrow(told);
  });

  it.runIf(existsSync('/proc/self'))('ends where the system makes no folders and says ENOENT', () => {
    for (const path of ['/proc/self/one', '/proc/self/one/two']) {
      expect(() => ownFolder(path)).toThrow("ENOENT: no such file or directory, mkdir '/proc/self/one'");
    }
  });

  it('makes nothing behind a link that leads nowhere', () => {
    const path = join(aFolder(), 'link');
    symlinkSync('nowhere', path);
    expect(() => ownFolder(join(path, 'folder'))).toThrow(/ENOENT/);
    expect(readdirSync(dirname(path))).toEqual(['link']);
  });

  it('refuses a folder of another user', () => {
    const path = aFolder();
    asAnotherUser();
    expect(() => ownFolder(path)).toThrow(`${path} belongs to another user`);
  });
});

const HOME = '/the/home';
const SYSTEM_HOME = userInfo().homedir;

describe('the state folder', () => {
  it.each([
    [{XDG_STATE_HOME: '/shared', HOME}, '/shared/skydeck'],
    [{HOME}, '/the/home/.local/state/skydeck'],
    [{XDG_STATE_HOME: '', HOME}, '/the/home/.local/state/skydeck'],
    [{XDG_STATE_HOME: 'state', HOME}, '/the/home/.local/state/skydeck'],
    [{XDG_STATE_HOME: '.', HOME: '.'}, join(SYSTEM_HOME, '.local/state/skydeck')],
    [{HOME: ''}, join(SYSTEM_HOME, '.local/state/skydeck')],
    [{HOME: 'home'}, join(SYSTEM_HOME, '.local/state/skydeck')],
    [{}, join(SYSTEM_HOME, '.local/state/skydeck')],
  ])('of %j is %s, never below the current folder', (environment, folder) => {
    expect(stateFolder(environment)).toBe(folder);
  });

  it('is created and checked together with the part of it that is asked for', () => {
    const base = aFolder();
    expect(openStateFolder({XDG_STATE_HOME: base}, 'screens')).toBe(join(base, 'skydeck', 'screens'));
    expect([modeOf(join(base, 'skydeck')), modeOf(join(base, 'skydeck', 'screens'))]).toEqual([0o700, 0o700]);
    rmSync(join(base, 'skydeck'), {recursive: true});
    symlinkSync(aFolder(), join(base, 'skydeck'));
    expect(() => openStateFolder({XDG_STATE_HOME: base}, 'screens')).toThrow(NotOursError);
  });
});

describe('what is kept in a state folder that others can replace by another', () => {
  const kept = () => {
    const base = aFolder();
    const environment = {XDG_STATE_HOME: join(base, 'state')};
    const file = {environment, name: 'example.json'};
    mkdirSync(join(base, 'state'), {mode: 0o700});
    writeKnownNames(file, 'vms', ['gpu-1']);
    openStateFolder(environment, 'last-screen');
    return {base, environment, file, parent: join(base, 'state')};
  };

  it.each([
    [0o777, false],
    [0o757, false],
    [0o1777, true],
    [0o755, true],
  ])('is read back below a folder of mode %o: %s', (mode, isRead) => {
    const {environment, file, parent} = kept();
    chmodSync(parent, mode);
    expect(readKnownNames(file)).toEqual(isRead ? {vms: ['gpu-1']} : {});
    const lastScreen = () => openStateFolder(environment, 'last-screen');
    if (isRead) expect(lastScreen()).toBe(join(parent, 'skydeck', 'last-screen'));
    else expect(lastScreen).toThrow(`${parent} can be changed by others: run chmod go-w ${parent}`);
    expect(reachTrouble(environment)).toBe(
      isRead
        ? undefined
        : `nothing kept by earlier runs is used: ${parent} can be changed by others: run chmod go-w ${parent}`,
    );
    // Operations need the journal, whatever is kept for speed.
    expect(openStateFolder(environment, 'journal')).toBe(join(parent, 'skydeck', 'journal'));
  });

  it.each(['skydeck', 'skydeck/names'])('is not read back if others can write to its folder %s', name => {
    const {file, parent} = kept();
    chmodSync(join(parent, name), 0o770);
    const troubles: string[] = [];
    expect(readKnownNames({...file, onTrouble: (...trouble) => troubles.push(trouble.join(': '))})).toEqual({});
    const folder = join(parent, name);
    expect(troubles).toEqual([
      `names/example.json: not read: ${folder} can be changed by others: run chmod 700 ${folder}`,
    ]);
  });

  it('says why it was not read or written, but not that there is nothing yet', () => {
    const {file, parent} = kept();
    const troubles: string[] = [];
    const told = {...file, onTrouble: (...trouble: string[]) => void troubles.push(trouble.join(': '))};
    readKnownNames({...told, name: 'other.json'});
    expect(troubles).toEqual([]);
    const path = join(parent, 'skydeck', 'names', file.name);
    writeFileSync(path, '{"vms": [');
    expect(readKnownNames(told)).toEqual({});
    rmSync(path);
    mkdirSync(path);
    writeKnownNames(told, 'vms', ['gpu-2']);
    expect(troubles[0]).toBe('names/example.json: not read: it is not valid JSON');
    expect(troubles.at(-1)).toMatch(/^names\/example\.json: not written: EISDIR/);
  });

  it('does not hide a mistake of our own', () => {
    const {file} = kept();
    createOwnFile(join(openStateFolder(file.environment, 'activity'), file.name), '{}');
    const parse = vi.spyOn(JSON, 'parse').mockImplementation(() => {
      throw new TypeError('our own mistake');
    });
    onTestFinished(() => parse.mockRestore());
    for (const read of [
      () => readKnownNames(file),
      () => new LearntActivity(file).runsOf({id: virtualMachineId(7)}),
      () => readLastScreen({path: aFile('{}'), keyMark: 0}),
    ])
      expect(read).toThrow('our own mistake');
  });

  it('is nothing if its content is of another kind, whatever that is', () => {
    const {file, parent} = kept();
    const names = join(parent, 'skydeck', 'names', file.name);
    const activity = join(openStateFolder(file.environment, 'activity'), file.name);
    const anyNumbers = fc.array(fc.oneof(fc.double(), fc.integer()));
    const machine = fc.record({day: fc.record({cpu: anyNumbers}), runs: fc.array(anyNumbers), isLong: fc.boolean()});
    const anything = fc.oneof(
      fc.json(),
      fc.record({machines: fc.dictionary(fc.nat().map(String), machine)}).map(each => JSON.stringify(each)),
    );
    fc.assert(
      fc.property(anything, content => {
        for (const path of [names, activity]) writeFileSync(path, content, {mode: 0o600});
        expect(() => readKnownNames(file)).not.toThrow();
        expect(() => new LearntActivity(file).runsOf({id: virtualMachineId(7)})).not.toThrow();
      }),
      {numRuns: 50},
    );
  });

  it('is not read back either if a folder further above is open to all', () => {
    const {base, file} = kept();
    chmodSync(base, 0o777);
    expect(readKnownNames(file)).toEqual({});
  });
});

describe('the settings folder', () => {
  it.each([
    [{SKYDECK_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/shared', HOME}, '/own'],
    [{SKYDECK_CONFIG_DIR: '', XDG_CONFIG_HOME: '/shared', HOME}, '/shared/skydeck'],
    [{XDG_CONFIG_HOME: '', HOME}, '/the/home/.config/skydeck'],
    [{XDG_CONFIG_HOME: 'shared', HOME}, '/the/home/.config/skydeck'],
    [{HOME: '.'}, join(SYSTEM_HOME, '.config/skydeck')],
    [{}, join(SYSTEM_HOME, '.config/skydeck')],
  ])('of %j is %s, never below the current folder', (environment, folder) => {
    expect(configFolder(environment)).toBe(folder);
  });

  it('must be an absolute path when it is named', () => {
    expect(() => configFolder({SKYDECK_CONFIG_DIR: 'own', HOME})).toThrow(
      'SKYDECK_CONFIG_DIR must be an absolute path',
    );
  });

  it('may have no settings, and settings that others can read are refused', () => {
    const environment = {SKYDECK_CONFIG_DIR: aFolder()};
    expect(readSettingsFile(environment)).toBeUndefined();
    plantFile(settingsPath(environment), 0o600);
    writeFileSync(settingsPath(environment), '{"glyphs": "ascii"}');
    expect(readSettingsFile(environment)).toEqual({glyphs: 'ascii'});
    chmodSync(settingsPath(environment), 0o604);
    expect(() => readSettingsFile(environment)).toThrow(/settings\.json can be read by others: run chmod 600/);
  });

  it.each([0o777, 0o770, 0o702])('is refused with mode %o, since others could exchange the settings in it', mode => {
    const folder = aFolder();
    chmodSync(folder, mode);
    const advice = `${folder} can be changed by others: run chmod 700 ${folder}`;
    expect(() => readSettingsFile({SKYDECK_CONFIG_DIR: folder})).toThrow(advice);
    plantFile(join(folder, 'settings.json'), 0o600);
    writeFileSync(join(folder, 'settings.json'), '{}');
    expect(() => readSettingsFile({SKYDECK_CONFIG_DIR: folder})).toThrow(advice);
  });

  it.each([0o700, 0o755, 0o1777])('may have mode %o, with which nobody else can exchange files of ours', mode => {
    const folder = aFolder();
    plantFile(join(folder, 'settings.json'), 0o600);
    writeFileSync(join(folder, 'settings.json'), '{}');
    chmodSync(folder, mode);
    expect(readSettingsFile({SKYDECK_CONFIG_DIR: folder})).toEqual({});
  });

  it('may be, or be in, a folder that a link leads to, which is checked in its place', () => {
    const target = aFolder();
    mkdirSync(join(target, 'skydeck'));
    plantFile(join(target, 'skydeck', 'settings.json'), 0o600);
    writeFileSync(join(target, 'skydeck', 'settings.json'), '{}');
    const home = aFolder();
    symlinkSync(target, join(home, '.config'));
    symlinkSync(join(target, 'skydeck'), join(home, 'link'));
    expect(readSettingsFile({HOME: home})).toEqual({});
    expect(readSettingsFile({SKYDECK_CONFIG_DIR: join(home, 'link')})).toEqual({});
    chmodSync(join(target, 'skydeck'), 0o777);
    expect(() => readSettingsFile({HOME: home})).toThrow('can be changed by others');
    expect(() => readSettingsFile({SKYDECK_CONFIG_DIR: join(home, 'link')})).toThrow('can be changed by others');
  });

  it.runIf(process.getuid?.() === 0)('is refused if it belongs to another user', () => {
    const folder = aFolder();
    chownSync(folder, 12_345, 12_345);
    expect(() => readSettingsFile({SKYDECK_CONFIG_DIR: folder})).toThrow(`${folder} belongs to another user`);
  });
});

/** Each writes one private file below the folder and gives its path. */
const WRITERS: readonly (readonly [what: string, write: (folder: string) => string])[] = [
  ['key', folder => writeKeyFile({SKYDECK_CONFIG_DIR: folder}, 'prod', secret('CANARY-0123456789'))],
  [
    'journal',
    folder => {
      const path = join(folder, 'journal', 'host.jsonl');
      openJournal(path, ACTIONS).append({
        operationId: 'a',
        at: epochMs(0),
        confirmedAt: epochMs(0),
        phase: 'sent',
        request: safeText('GET /core/virtual-machines/1/stop'),
      });
      return path;
    },
  ],
  [
    'log',
    folder => {
      const path = join(folder, 'requests.log');
      openRequestLog(path, createVirtualClock().clock, text => text);
      return path;
    },
  ],
];
const CIRCUMSTANCES: readonly (readonly [umask: number, wasThere: boolean])[] = [
  [0o000, false],
  [0o022, false],
  [0o000, true],
  [0o022, true],
];

describe.each(WRITERS)('the %s', (_, write) => {
  it.each(
    CIRCUMSTANCES,
  )('is for its owner only under umask %o, even if it existed with mode 0644: %s', (umask, wasThere) => {
    withUmask(umask);
    const folder = aFolder();
    const path = write(folder);
    if (wasThere) {
      chmodSync(path, 0o644);
      if (dirname(path) !== folder) chmodSync(dirname(path), 0o755);
      write(folder);
    }
    expect(modeOf(path)).toBe(0o600);
    expect(modeOf(dirname(path))).toBe(0o700);
  });
});
