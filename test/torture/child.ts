import {fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';

/** A process that reports when it is ready, and again after each message to it. */
export type Child<Report> = {
  readonly report: () => Promise<Report>;
  readonly tell: (message: string) => Promise<Report>;
  readonly kill: () => void;
};

const REPORT_LIMIT_MS = 30_000;

/** Starts a file of this folder. */
export function startChild<Report>(
  file: string,
  {
    arguments: words = [],
    flags = [],
  }: {readonly arguments?: readonly string[]; readonly flags?: readonly string[]} = {},
): Child<Report> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [...words], {execArgv: [...flags]});
  const report = async () => {
    const [told]: Report[] = await once(child, 'message', {signal: AbortSignal.timeout(REPORT_LIMIT_MS)});
    if (told === undefined) throw new Error(`${file} said nothing.`);
    return told;
  };
  return {
    report,
    tell: message => {
      const told = report();
      child.send(message);
      return told;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
