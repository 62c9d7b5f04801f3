import {execFileSync} from 'node:child_process';
import {chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, dirname, join, relative} from 'node:path';
import {inspect} from 'node:util';
import {describe, expect, it, onTestFinished, vi} from 'vitest';
import {say} from '../../src/domain/safe-text.ts';
import {type KeySource, readKey, readSecretFile} from '../../src/config/key-source.ts';

const KEY = 'CANARY-0123456789-abcdef';

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-key-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return folder;
}

function aFile(text: string, mode = 0o600): string {
  const path = join(aFolder(), 'key');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function aProgram(script: string): string {
  return aFile(`#!/bin/sh\n${script}\n`, 0o700);
}

/** The mistake, after checking that it shows nothing of the key. */
function mistakeOf(source: KeySource): string {
  const read = readKey(source);
  if (read.ok) throw new Error('Expected a mistake.');
  expect(inspect(read, {depth: 9})).not.toContain('CANARY');
  return read.mistake;
}

function keyOf(source: KeySource): string {
  const read = readKey(source);
  if (!read.ok) throw new Error(read.mistake);
  expect(inspect(read, {depth: 9})).not.toContain('CANARY');
  return read.key.reveal();
}

describe('a key file', () => {
  it.each([
    ['alone', KEY],
    ['with a line end', `${KEY}\n`],
    ['with white space around it', `  ${KEY}\r\n\n`],
  ])('gives the key that it contains %s', (_name, text) => {
    expect(keyOf({kind: 'file', path: aFile(text)})).toBe(KEY);
    expect(keyOf({kind: 'file', path: aFile(text, 0o400)})).toBe(KEY);
  });

  it.each([
    0o640, 0o604, 0o660, 0o644, 0o610, 0o601,
  ])('is refused with the mode %o, with the command that fixes it', mode => {
    expect(mistakeOf({kind: 'file', path: aFile(KEY, mode)})).toMatch(
      /can be (?:read|changed) by others: run chmod 600 \S+, and consider a new key/,
    );
  });

  it('is refused when it is a link, since a link can be pointed elsewhere', () => {
    const link = join(aFolder(), 'link');
    symlinkSync(aFile(KEY), link);
    expect(mistakeOf({kind: 'file', path: link})).toMatch(/is a link, and links are not followed/);
  });

  it.each<[string, string, RegExp]>([
    ['empty', '', /the key is empty/],
    ['blank', ' \n', /the key is empty/],
    ['short', 'CANARY', /shorter than 8/],
    ['of two lines', `${KEY}\n${KEY}`, /white space or a line break/],
    ['not ASCII', `${KEY}é`, /visible ASCII/],
    ['longer than a key', `${KEY}${'x'.repeat(600)}`, /longer than 512/],
    ['far too large', KEY.repeat(1000), /too large to hold a key/],
  ])('is refused when %s', (_name, text, mistake) => {
    expect(mistakeOf({kind: 'file', path: aFile(text)})).toMatch(mistake);
  });

  it.each([0o700, 0o755])('is refused when it is a folder of mode %o', mode => {
    const folder = join(aFolder(), 'folder');
    mkdirSync(folder);
    chmodSync(folder, mode);
    expect(mistakeOf({kind: 'file', path: folder})).toMatch(/is not a plain file/);
  });

  it('is refused when it is a pipe, without waiting for a writer', () => {
    const path = join(aFolder(), 'pipe');
    execFileSync('mkfifo', ['-m', '600', path]);
    expect(mistakeOf({kind: 'file', path})).toMatch(/is not a plain file/);
  });

  it('is named, made safe to show, when it does not exist', () => {
    const mistake = mistakeOf({kind: 'file', path: join(aFolder(), 'no\u001b[2Jkey')});
    expect(mistake).toContain('no␛[2Jkey cannot be opened: there is no such file');
  });
});

describe('a token file', () => {
  const read = (text: string, mode?: number) =>
    readSecretFile(aFile(text, mode), {name: say`the token file`, word: 'token'});

  it('may contain a signed token, which is longer than any key', () => {
    const signed = `CANARY.${'e'.repeat(1200)}`;
    const token = read(`${signed}\n`);
    expect(token.ok && token.key.reveal()).toBe(signed);
  });

  it.each<[string, string, RegExp]>([
    ['empty', '', /the token is empty$/],
    ['short', 'CANARY', /the token is shorter than 8/],
    ['of two lines', `${KEY}\n${KEY}`, /the token contains white space/],
    ['longer than a token', 'CANARY'.repeat(800), /the token is longer than 4096/],
    ['far too large', KEY.repeat(1000), /is too large to hold a token$/],
  ])('is refused when %s, without a word about a key', (_name, text, mistake) => {
    const refused = read(text);
    expect(refused).toEqual({ok: false, mistake: expect.stringMatching(mistake)});
    expect(inspect(refused)).not.toMatch(/CANARY|the key/i);
  });

  it('is refused when others can read it', () => {
    expect(read(KEY, 0o644)).toMatchObject({
      mistake: expect.stringMatching(/chmod 600 \S+, and consider a new token$/),
    });
  });
});

describe('a key command', () => {
  const command = (script: string): KeySource => ({kind: 'command', words: [aProgram(script)]});

  it('gives what the program prints, without the line end', () => {
    expect(keyOf(command(`echo ${KEY}`))).toBe(KEY);
    expect(keyOf({kind: 'command', words: ['printf', '%s', KEY]})).toBe(KEY);
  });

  it('is never taken from the current folder', () => {
    const program = aProgram(`echo ${KEY}`);
    const nearby = relative(process.cwd(), program);
    expect(mistakeOf({kind: 'command', words: [nearby]})).toMatch(
      /needs the name of a program on the PATH or an absolute path/,
    );
    vi.stubEnv('PATH', `${dirname(nearby)}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(mistakeOf({kind: 'command', words: [basename(program)]})).toMatch(/failed/);
    vi.stubEnv('PATH', `${dirname(program)}:${process.env.PATH}`);
    expect(keyOf({kind: 'command', words: [basename(program)]})).toBe(KEY);
  });

  it.each<[string, string, RegExp]>([
    ['prints two lines', `echo ${KEY}; echo user`, /white space or a line break/],
    ['prints nothing', 'true', /the key is empty/],
    ['fails after printing', `echo ${KEY}; exit 3`, /failed or took longer than 5 s/],
    ['fails with a message', `echo ${KEY} >&2; exit 1`, /failed or took longer than 5 s/],
    ['prints endlessly', `while echo ${KEY}; do :; done`, /failed or took longer than 5 s/],
  ])('is refused when it %s', (_name, script, mistake) => {
    expect(mistakeOf(command(script))).toMatch(mistake);
  });

  it('is refused when there is no such program, or no word at all', () => {
    expect(mistakeOf({kind: 'command', words: ['skydeck-no-such-program', KEY]})).toMatch(
      /the key command skydeck-no-such-program failed/,
    );
    expect(mistakeOf({kind: 'command', words: []})).toBe('the key command is empty');
  });

  it('is run without a shell, so that its words are taken literally', () => {
    expect(mistakeOf({kind: 'command', words: ['printf', '%s', `$(echo ${KEY})`, ';', 'echo']})).toMatch(/white space/);
  });

  it('is ended after five seconds, even when it ignores the signal', () => {
    const startedAt = performance.now();
    expect(mistakeOf(command(`trap '' TERM; echo ${KEY}; exec sleep 12`))).toMatch(/took longer than 5 s/);
    expect(performance.now() - startedAt).toBeLessThan(8000);
  });
});

describe('the environment', () => {
  it('gives the key', () => {
    expect(keyOf({kind: 'environment', text: KEY})).toBe(KEY);
  });

  it('is named by its variable in a mistake, and nothing of its text is repeated', () => {
    expect(mistakeOf({kind: 'environment', text: `${KEY}\nx`})).toBe(
      'SKYDECK_API_KEY: the key contains white space or a line break',
    );
  });
});
