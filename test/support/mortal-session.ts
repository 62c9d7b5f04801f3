// A session without a screen, in a process of its own. It stops one machine and may be killed on the way, as by kill
// -9. It reports on standard output, one JSON line each.
import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import {ACTIONS} from '../../src/actions/actions.ts';
import {isEnded} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';

export type MortalOrder = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly journalPath: string;
  readonly machine: {readonly id: number; readonly name: string};
  /** Dies at this line of the journal, counted from 1. Never dies if undefined. */
  readonly death?: {readonly line: number; readonly moment: 'before' | 'torn' | 'after'} | undefined;
  /** Whether it stops the machine. Otherwise it only watches, and tries to stop it again if something is open. */
  readonly begins: boolean;
};

export type MortalTold =
  | {readonly kind: 'phase'; readonly phase: string}
  /** What it found in the journal, and the result of trying the same again if something was open. */
  | {readonly kind: 'found'; readonly phases: readonly string[]; readonly again: string | undefined};

/** Every wait is this many times shorter than in real use. */
const HASTE = 5;

const order: MortalOrder = JSON.parse(process.argv[2] ?? '');
if (order.death !== undefined) dieAtLine(order.death);
// The journal must be loaded after the functions that it calls are replaced.
const {createLink} = await import('../../src/state/poller/link.ts');
const {createSession} = await import('../../src/state/session.ts');

let idCount = 0;
const wallNow = () => epochMs(Date.now());
const {operations} = createSession({
  actions: ACTIONS,
  baseUrl: order.baseUrl,
  key: secret(order.apiKey),
  secrets: [secret(order.apiKey)],
  clock: {
    wallNow,
    monotonicNow: () => monotonicMs(performance.now() * HASTE),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs / HASTE);
      return () => clearTimeout(timer);
    },
  },
  link: createLink(wallNow),
  random: Math.random,
  newId: () => {
    idCount += 1;
    return `${process.pid}-${idCount}`;
  },
  journalPath: order.journalPath,
  isReadOnly: false,
  isTlsUnchecked: false,
  readTimeoutMs: undefined,
});
if (operations === undefined) throw new Error('Expected a session with operations.');

const confirmed = {
  action: {kind: 'vm.stop', id: virtualMachineId(order.machine.id)},
  subjectName: safeText(order.machine.name),
  status: 'ACTIVE',
} as const;
operations.subscribe(({phase}) => {
  tell({kind: 'phase', phase});
  if (isEnded(phase)) process.exit(0);
});
if (order.begins) operations.begin(confirmed);
else {
  const found = operations.all();
  const again = found.length === 0 ? undefined : operations.begin(confirmed).status;
  tell({kind: 'found', phases: found.map(({phase}) => phase), again});
  if (found.length === 0) process.exit(0);
}

function tell(told: MortalTold): void {
  fs.writeSync(1, `${JSON.stringify(told)}\n`);
}

/** Dies before, after or in the middle of writing a line to the disk. */
function dieAtLine({line, moment}: NonNullable<MortalOrder['death']>): void {
  const [append, flush] = [fs.appendFileSync, fs.fsyncSync];
  let lineCount = 0;
  const die = () => process.kill(process.pid, 'SIGKILL');
  fs.appendFileSync = (file, text, options) => {
    lineCount += 1;
    if (lineCount === line && moment === 'before') die();
    if (lineCount === line && moment === 'torn') {
      append(file, String(text).slice(0, 40), options);
      die();
    }
    append(file, text, options);
  };
  fs.fsyncSync = file => {
    flush(file);
    if (lineCount === line && moment === 'after') die();
  };
  syncBuiltinESMExports();
}
