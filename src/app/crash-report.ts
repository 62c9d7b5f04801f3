import {readFileSync} from 'node:fs';
import module from 'node:module';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {openStateFolder, replaceOwnFile} from '../config/own-files.ts';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {EXIT} from '../domain/exit-codes.ts';
import {safeLines, safeText} from '../domain/safe-text.ts';
import {createRedactor, secret} from '../domain/secret.ts';

/** Reports that the program itself failed, wherever that is: in the deck, in a command, at the start. */
export type CrashReporter = {
  /** Set by whoever knows the key. */
  readonly learn: (redact: (text: string) => string) => void;
  /** Writes the report to a file, for a bug report, and returns the text to print. */
  readonly report: (error: unknown) => string;
  readonly exitCode: number;
};

const MAX_SUMMARY_LENGTH = 200;
const FILE_NAME = 'crash.log';

export function createCrashReporter(environment: EnvironmentVariables, facts: readonly string[]): CrashReporter {
  // Until the account is open, this is the only key there can be.
  let redact = createRedactor([secret(environment.SKYDECK_API_KEY ?? '')]);
  return {
    exitCode: EXIT.crashed,
    learn: known => {
      redact = known;
    },
    report: error => {
      const stack = safeLines(redact(stackOf(error)));
      const summary = `skydeck: internal error: ${safeText(stack[0] ?? '', {maxLength: MAX_SUMMARY_LENGTH})}`;
      const path = keep(environment, [...facts, ...stack]);
      return path === undefined ? [summary, ...stack].join('\n') : `${summary}; the details are in ${safeText(path)}`;
    },
  };
}

/** The path of the report, which replaces an older one; undefined if it cannot be written. */
function keep(environment: EnvironmentVariables, lines: readonly string[]): string | undefined {
  try {
    const path = join(openStateFolder(environment), FILE_NAME);
    replaceOwnFile(path, `${lines.join('\n')}\n`);
    return path;
  } catch {
    return undefined;
  }
}

/** The stack only: an error's other fields may hold a request with its key. */
function stackOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  const maps = new Map<string, module.SourceMap | undefined>();
  return stack.replaceAll(PLACE, (place, url: string, line: string, column: string) => {
    if (!maps.has(url)) maps.set(url, sourceMapOf(url));
    const origin = maps.get(url)?.findOrigin(Number(line), Number(column));
    return origin === undefined || !('fileName' in origin)
      ? place
      : `${sourceName(origin.fileName, url)}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

/** The source position of a stack line, which points into a file of the built program. */
const PLACE = /(file:\/\/[^\s()]+):(\d+):(\d+)/g;
/** Its name inside the executable built by `npm run package`, where all code is in one file. */
const PACKAGED_MAP = 'skydeck.js.map';

/** Read here, once, and not by Node at each start, which would cost a third of the start time. */
function sourceMapOf(url: string): module.SourceMap | undefined {
  try {
    const {isSea, getAsset} = process.getBuiltinModule('node:sea');
    const text = isSea() ? getAsset(PACKAGED_MAP, 'utf8') : readFileSync(`${fileURLToPath(url)}.map`, 'utf8');
    return new module.SourceMap(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The map names sources relative to the built file; the folders above the package are removed. */
function sourceName(source: string, builtUrl: string): string {
  const path = new URL(source, builtUrl).pathname;
  return /\/((?:src|build|node_modules)\/.*)$/.exec(path)?.[1] ?? path;
}
