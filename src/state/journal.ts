import {
  appendFileSync,
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
} from 'node:fs';
import {dirname} from 'node:path';
import {z} from 'zod';
import {present} from '../api/fields.ts';
import type {Act} from '../domain/act.ts';
import {firewallId} from '../domain/firewall.ts';
import type {OperationPhase} from '../domain/operation.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {safeText} from '../domain/safe-text.ts';
import {type EpochMs, epochMs} from '../domain/time.ts';
import {MACHINE_STATUSES, type MachineStatus, virtualMachineId} from '../domain/virtual-machine.ts';

/** One line of the journal: an operation reached a phase. It holds no secret. */
export type JournalEntry = {
  readonly operationId: string;
  readonly at: EpochMs;
  readonly phase: OperationPhase;
  readonly act: Act;
  readonly subjectName: SafeText;
  readonly initialStatus?: MachineStatus;
  /** When the person said yes; after a restart only what happened since then can be the operation's effect. */
  readonly confirmedAt?: EpochMs;
  readonly detail?: SafeText;
};

export type Journal = {
  /** Returns only when the line is on the disk; throws when it cannot be written, and then nothing may be sent. */
  readonly append: (entry: JournalEntry) => void;
  /** The last entry of every operation, oldest first. Lines that cannot be read are passed over and counted. */
  readonly latest: () => {readonly entries: readonly JournalEntry[]; readonly unreadableCount: number};
};

/** Old ends are of no use to a restart; open operations always are, however old. */
const MAX_READ_BYTES = 8 * 1024 * 1024;

const id = z.number().int().positive().transform(virtualMachineId);
const ofFirewall = z.number().int().positive().transform(firewallId);
const text = z.string().transform(each => safeText(each));
const port = z.number().int();
const ruleSpec = z
  .object({
    direction: z.enum(['ingress', 'egress']),
    protocol: text,
    etherType: z.enum(['IPv4', 'IPv6']),
    remoteIpPrefix: text,
    portRangeMin: port.optional(),
    portRangeMax: port.optional(),
  })
  .transform(present);
const ruleTerms = z
  .object({
    direction: text.optional(),
    protocol: text.optional(),
    etherType: text.optional(),
    remoteIpPrefix: text.optional(),
    portRangeMin: port.optional(),
    portRangeMax: port.optional(),
  })
  .transform(present);
const actSchema = z.discriminatedUnion('kind', [
  z.object({kind: z.literal('vm.start'), id}),
  z.object({kind: z.literal('vm.stop'), id}),
  z.object({kind: z.literal('vm.hard-reboot'), id}),
  z.object({kind: z.literal('vm.hibernate'), id, retainsIp: z.boolean()}),
  z.object({kind: z.literal('vm.restore'), id}),
  z.object({kind: z.literal('vm.add-rule'), id, rule: ruleSpec}),
  z.object({kind: z.literal('vm.remove-rule'), id, ruleId: z.number(), rule: ruleTerms}),
  z.object({kind: z.literal('firewall.add-rule'), id: ofFirewall, rule: ruleSpec}),
  z.object({kind: z.literal('firewall.remove-rule'), id: ofFirewall, ruleId: z.number(), rule: ruleTerms}),
]);

const entrySchema = z.object({
  operationId: z.string(),
  at: z.number().transform(epochMs),
  phase: z.enum([
    'preflight',
    'sent',
    'accepted',
    'in-progress',
    'overdue',
    'unknown',
    'CONFIRMED',
    'REFUSED',
    'NOT_SENT',
    'STALE',
    'CONTRADICTED',
    'NO_EFFECT_SEEN',
  ]),
  act: actSchema,
  subjectName: z.string().transform(text => safeText(text)),
  initialStatus: z.enum([...MACHINE_STATUSES, 'UNKNOWN']).optional(),
  confirmedAt: z.number().transform(epochMs).optional(),
  detail: z
    .string()
    .transform(text => safeText(text))
    .optional(),
});

/** The append-only file (mode 0600 in a folder of mode 0700) at `path`, made with the first entry. */
export function openJournal(path: string): Journal {
  return {
    append: entry => {
      const folder = dirname(path);
      mkdirSync(folder, {recursive: true, mode: 0o700});
      // What was there before us may be open to others; the modes given to mkdir and open only count for what is new.
      chmodSync(folder, 0o700);
      const file = openSync(path, 'a+', 0o600);
      try {
        fchmodSync(file, 0o600);
        const {size} = fstatSync(file);
        // A line that was torn when the machine stopped must not swallow this one.
        const start = size > 0 && !endsInLineEnd(file, size) ? '\n' : '';
        appendFileSync(file, `${start}${JSON.stringify(entry)}\n`);
        fsyncSync(file);
        if (size === 0) syncFolder(folder);
      } finally {
        closeSync(file);
      }
    },
    latest: () => readLatest(path),
  };
}

function readLatest(path: string): {entries: readonly JournalEntry[]; unreadableCount: number} {
  const latest = new Map<string, JournalEntry>();
  let unreadableCount = 0;
  for (const line of readTail(path).split('\n')) {
    if (line.length === 0) continue;
    const entry = parseEntry(line);
    if (entry === undefined) unreadableCount += 1;
    else latest.set(entry.operationId, entry);
  }
  return {entries: [...latest.values()], unreadableCount};
}

/** The end of the file, from the start of a line. A file that is there and cannot be read counts as a line that cannot. */
function readTail(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MAX_READ_BYTES) return bytes.toString('utf8');
    const tail = bytes.subarray(bytes.length - MAX_READ_BYTES);
    return tail.subarray(tail.indexOf('\n') + 1).toString('utf8');
  } catch (error) {
    // No journal yet: nothing was ever sent from here.
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? '' : UNREADABLE;
  }
}

const UNREADABLE = 'unreadable';

function endsInLineEnd(file: number, size: number): boolean {
  const last = new Uint8Array(1);
  readSync(file, last, {position: size - 1});
  return last[0] === '\n'.charCodeAt(0);
}

/** A new file survives a power cut only once its name is on the disk too. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function parseEntry(line: string): JournalEntry | undefined {
  try {
    const parsed = entrySchema.safeParse(JSON.parse(line));
    if (!parsed.success) return undefined;
    return present(parsed.data);
  } catch {
    return undefined;
  }
}
