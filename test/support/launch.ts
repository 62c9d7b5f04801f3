import {spawn} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {constants, tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {EnvironmentVariables} from '../../src/domain/environment-variables.ts';
import {cleanEnvironment, openTerminal, type RealTerminal} from './terminal.ts';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
export const programPath = join(projectRoot, 'dist', 'skydeck.js');
/** The flags of `npm start` and of the first line of the built file. */
export const PROGRAM_FLAGS: readonly string[] = ['--max-semi-space-size=4'];

/** Where the program finds its cloud. Without one it starts its own. */
export type Connection = {readonly url: string; readonly apiKey: string};

export type Home = {
  readonly path: string;
  readonly environment: EnvironmentVariables;
  readonly remove: () => void;
};

/** An empty home folder, so that no profile, key or journal of the person running the tests is read or written. */
export function createHome(): Home {
  const path = mkdtempSync(join(tmpdir(), 'skydeck-home-'));
  const folders = {config: join(path, 'config'), state: join(path, 'state')};
  for (const folder of Object.values(folders)) mkdirSync(folder, {mode: 0o700});
  return {
    path,
    environment: {
      HOME: path,
      SKYDECK_CONFIG_DIR: folders.config,
      XDG_CONFIG_HOME: folders.config,
      XDG_STATE_HOME: folders.state,
    },
    remove: () => rmSync(path, {recursive: true, force: true, maxRetries: 5}),
  };
}

export type LaunchOptions = {
  readonly home: Home;
  readonly connection?: Connection | undefined;
  readonly arguments?: readonly string[] | undefined;
  readonly env?: EnvironmentVariables | undefined;
  /** The built program by default. */
  readonly program?: string | undefined;
  /** Treats the home as never used, even if it is fresh, so that all code is compiled. */
  readonly isCold?: boolean | undefined;
};

export function environmentOf({home, connection, env}: LaunchOptions): EnvironmentVariables {
  const connected = connection && {SKYDECK_BASE_URL: connection.url, SKYDECK_API_KEY: connection.apiKey};
  return {...home.environment, ...connected, ...env};
}

/** The variable with the folder of compiled code that one start before all tests has left. */
export const COMPILED = 'SKYDECK_TEST_COMPILED';

/** Where the program stores compiled code. */
export function compileCacheIn({path}: Home): string {
  return join(path, 'state', 'skydeck', 'compile-cache');
}

/**
 * Copies the compiled code of an earlier start to a fresh home, because compiling takes a third of a start's processor
 * time.
 */
export function giveCompiledCode(home: Home): void {
  const compiled = process.env[COMPILED];
  if (compiled === undefined || readdirSync(join(home.path, 'state')).length > 0) return;
  mkdirSync(join(home.path, 'state', 'skydeck'), {mode: 0o700});
  cpSync(compiled, compileCacheIn(home), {recursive: true});
}

/** Starts the program on a terminal, with the same Node as the tests. */
export function launchOnTerminal(options: LaunchOptions & {columns?: number; rows?: number}): RealTerminal {
  if (options.isCold !== true) giveCompiledCode(options.home);
  return openTerminal({
    command: process.execPath,
    arguments: [...PROGRAM_FLAGS, options.program ?? programPath, ...(options.arguments ?? [])],
    env: environmentOf(options),
    cwd: options.home.path,
    ...(options.columns === undefined ? {} : {columns: options.columns}),
    ...(options.rows === undefined ? {} : {rows: options.rows}),
  });
}

export type ProgramResult = {
  readonly stdout: string;
  readonly stderr: string;
  /** As a shell reports it: 128 plus the number of the signal if one ended the program. */
  readonly exitCode: number;
};

/** Runs the program without any terminal until it exits. Kills it and fails if it takes longer than `timeoutMs`. */
export function launchWithoutTerminal(
  options: LaunchOptions & {stdin?: string; timeoutMs: number},
): Promise<ProgramResult> {
  if (options.isCold !== true) giveCompiledCode(options.home);
  const child = spawn(process.execPath, [options.program ?? programPath, ...(options.arguments ?? [])], {
    env: cleanEnvironment(environmentOf(options)),
    cwd: options.home.path,
  });
  const collected = {stdout: '', stderr: ''};
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    collected.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    collected.stderr += chunk;
  });
  // A program that refuses its arguments exits before it reads. Its outcome is then what it printed.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');

  const late = new Error(`skydeck ${(options.arguments ?? []).join(' ')} did not end within ${options.timeoutMs} ms.`);
  return new Promise((resolve, reject) => {
    let isLate = false;
    const deadline = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, options.timeoutMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(deadline);
      if (isLate) {
        late.message += `\nstdout: ${collected.stdout}\nstderr: ${collected.stderr}`;
        reject(late);
      } else {
        resolve({...collected, exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal])});
      }
    });
  });
}
