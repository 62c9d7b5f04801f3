import {createHash} from 'node:crypto';
import {mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {KnownKind} from '../../../src/actions/actions.ts';
import {callOf, recordOf} from '../../../src/actions/actions.ts';
import {type Action, subjectOf} from '../../../src/domain/action.ts';
import {isEnded, type Operation, type OperationPhase} from '../../../src/domain/operation.ts';
import {type DurationMs, MINUTE_MS, SECOND_MS} from '../../../src/domain/time.ts';
import {seedFor} from '../../../src/simulator/world/random.ts';
import {type Arrival, type Cloud, createCloud} from './cloud.ts';
import type {Fault} from './faults.ts';
import {openSkydeck, type Skydeck, type Told} from './skydeck.ts';
import type {Prepare, Stage} from './stage.ts';

export type Case = {readonly kind: KnownKind; readonly prepare: Prepare; readonly fault: Fault; readonly seed: number};

export type CaseResult = {
  readonly end: OperationPhase | undefined;
  readonly executionCount: number;
  readonly sentCount: number;
  /** What was broken of what must always hold. */
  readonly violations: readonly string[];
  readonly traceHash: string;
  readonly trace: readonly string[];
};

const STEP_MS = 250;
const LONGEST_MS = 40 * MINUTE_MS;
const AFTERWARDS_MS = 30 * SECOND_MS;
const READS_TO_RESOLVE = 3;
const TIME_TO_RESOLVE_MS = 15 * SECOND_MS;
const DISTURBED_SOON_MS = 3 * SECOND_MS;

/** One action under one fault from one seed, with everything that must hold of it looked at as it happens. */
export async function runCase({kind, prepare, fault, seed}: Case, folder: string): Promise<CaseResult> {
  const cloud = createCloud(seedFor(seed, `${kind} ${fault.name}`));
  const stage = await prepare(cloud);
  const place = join(folder, `${kind}-${seed}-${createHash('sha256').update(fault.name).digest('hex').slice(0, 12)}`);
  mkdirSync(place, {recursive: true});
  try {
    return await carryOut(cloud, {stage, fault, place});
  } finally {
    rmSync(place, {recursive: true, force: true});
  }
}

async function carryOut(
  cloud: Cloud,
  {stage, fault, place}: {readonly stage: Stage; readonly fault: Fault; readonly place: string},
): Promise<CaseResult> {
  const {time} = cloud;
  const {action} = stage.confirmed;
  const violations: string[] = [];
  const broken = (what: string) => violations.push(`${what} (at ${time.clock.monotonicNow()} ms)`);
  const watch = watchTruth(cloud, stage, broken);
  const request = requestOf(action);
  const operationsSent = () => cloud.sent.filter(({isOperation}) => isOperation);
  const sinceOperation = (atMs: number) => {
    const [first] = operationsSent();
    return first === undefined ? -1 : atMs - first.atMs;
  };

  cloud.setMishaps(sent => {
    if (!sent.isOperation) return fault.reading?.(sinceOperation(sent.atMs), sent, cloud.chance, action.kind);
    return fault.operation;
  });
  const journalPath = join(place, 'journal', 'here.jsonl');
  const running = new Set<number>();
  const open = (name: string, dies = true) =>
    openSkydeck(cloud, {name, journalPath, running, tell: watch.tell, ...(dies ? {fault} : {})});
  let skydeck = open('first');
  let rival = fault.rival === 'at once' ? open('rival', false) : undefined;
  const decks = (): readonly Skydeck[] => (rival === undefined ? [skydeck] : [skydeck, rival]);
  arrangeOthers(cloud, {stage, fault, request});
  arrangeDeath(cloud, fault, () => skydeck);
  cloud.subscribe(watch.arrived(fault.recoversAfterMs));
  cloud.onAnswer(watch.answered);

  // A person takes a while to read what is asked.
  await pass(cloud, Math.floor(cloud.chance() * 5 * SECOND_MS));
  if (operationsSent().length > 0) broken('sent without a confirmation');
  if (fault.other?.endsWith('before the check') === true) await byAnother(cloud, {stage, fault, request});
  let begunCount = 0;
  for (let count = 0; count < (fault.beginCount ?? 1); count += 1) {
    for (const deck of decks()) if (deck.operations.begin(stage.confirmed).status === 'begun') begunCount += 1;
  }
  if (fault.sleepsMs !== undefined) time.shiftWall(fault.sleepsMs);
  if (fault.rival === 'while it is under way') {
    await pass(cloud, Math.floor(cloud.chance() * 3 * SECOND_MS));
    rival = open('rival', false);
  }

  const hasEnded = () => decks().every(({operations}) => operations.all().every(({phase}) => isEnded(phase)));
  for (let passedMs = 0; passedMs < LONGEST_MS; passedMs += STEP_MS) {
    if (!skydeck.isAlive()) {
      const died = skydeck;
      await pass(cloud, Math.floor(cloud.chance() * 20 * SECOND_MS));
      skydeck = open('second', false);
      watch.restarted(died, skydeck);
    }
    if (hasEnded()) break;
    // Keys are pressed again while it is under way.
    for (const {operations} of decks()) {
      const open = operations.all().find(({phase}) => !isEnded(phase));
      // What another skydeck holds may have come to its end since, and only then is it asked for again.
      if (open === undefined || open.sentElsewhereAt !== undefined || cloud.chance() > 0.05) continue;
      if (operations.begin(stage.confirmed).status !== 'locked') broken('begun while the same is under way');
    }
    await pass(cloud, STEP_MS);
  }
  if (!hasEnded()) broken('never came to an end');
  const ends = new Map(decks().flatMap(({operations}) => operations.all().map(({id, phase}) => [id, phase] as const)));
  await pass(cloud, AFTERWARDS_MS);
  for (const {operations} of decks()) {
    for (const {id, phase} of operations.all()) if (ends.get(id) !== phase) broken(`${id} left its end`);
  }

  watch.finish();
  const sent = operationsSent();
  const allowed = rival === undefined ? 1 : begunCount;
  if (sent.length > Math.min(allowed, begunCount)) broken(`sent ${sent.length} times for ${begunCount} confirmations`);
  const factor = fault.operation?.kind === 'repeated' ? 2 : 1;
  if (cloud.executionCount() > sent.length * factor) broken(`executed ${cloud.executionCount()} times`);
  if (rival === undefined && fault.other?.startsWith('same') !== true && cloud.executionCount() > factor) {
    broken(`executed ${cloud.executionCount()} times for one confirmation`);
  }
  for (const each of sent) {
    if (each.method !== request.method || `${each.path}${each.query}` !== request.path || each.body !== request.body) {
      broken(`sent something else: ${each.method} ${each.path}`);
    }
  }
  for (const deck of decks()) deck.die();
  return {
    end: skydeck.operations.all()[0]?.phase,
    executionCount: cloud.executionCount(),
    sentCount: sent.length,
    violations,
    traceHash: createHash('sha256').update(cloud.trace.join('\n')).digest('hex'),
    trace: cloud.trace,
  };
}

/** What the service really did, against what each skydeck says of it. */
function watchTruth(cloud: Cloud, stage: Stage, broken: (what: string) => void) {
  const {action} = stage.confirmed;
  const {clock} = cloud.time;
  const told = new Map<string, Told[]>();
  /** Those whose end was put right, which happens once at most. */
  const corrected = new Set<string>();
  const claims: Told[] = [];
  const unknownSince = new Map<
    string,
    {readonly atMs: number; readonly reads: Set<string>; rounds: number; firstAtMs: number; isTold: boolean}
  >();
  let isReached = false;
  let clearFromMs = 0;
  const executionsAtStart = cloud.everybodysExecutionCount();
  const paths = readPathsOf(action);
  const isJob = recordOf(action).endsWithReply === true;

  function tell(now: Told, operation: Operation): void {
    const name = `${now.by} ${now.id}`;
    const earlier = told.get(name) ?? [];
    const last = earlier.at(-1);
    const isCorrected = operation.correction !== undefined && !corrected.has(name);
    if (last !== undefined && isEnded(last.phase) && !(isCorrected && now.phase === last.phase)) {
      broken(`${now.id} was ${last.phase} and is ${now.phase}`);
    }
    if (isCorrected && !isReached) broken(`${now.id} is said to have come late, and it is not so`);
    if (isCorrected) corrected.add(name);
    told.set(name, [...earlier, now]);
    if (now.phase === 'unknown')
      unknownSince.set(name, {atMs: clock.monotonicNow(), reads: new Set(), rounds: 0, firstAtMs: 0, isTold: false});
    else unknownSince.delete(name);
    if (isEnded(now.phase)) claims.push(now);
    if (now.phase !== 'CONFIRMED') return;
    if (isJob ? cloud.executionCount() === 0 : !isReached) broken(`${now.id} is CONFIRMED, and it is not so`);
    if (operation.sentAt === undefined) broken(`${now.id} is CONFIRMED, and was never sent`);
  }

  /** Truth is looked at whenever anything arrives: what a reading shows was so when it was answered. */
  function arrived(recoversAfterMs: DurationMs = 0) {
    return (arrival: Arrival) => {
      const [first] = cloud.sent.filter(({isOperation}) => isOperation);
      if (first === undefined) return;
      clearFromMs = Math.max(clearFromMs, first.atMs + recoversAfterMs);
      void look();
      // Whatever comes late changes what there is to be seen.
      if (arrival.isOperation) restart();
    };
  }

  /** An answer that is still on its way has told nobody anything. */
  function answered(answer: Arrival): void {
    if (!answer.isExecuted || !paths.includes(answer.path) || answer.atMs < clearFromMs) return;
    for (const [id, since] of unknownSince) {
      if (answer.atMs <= since.atMs || !id.startsWith(`${answer.by} `)) continue;
      if (since.rounds === 0 && since.reads.size === 0) since.firstAtMs = clock.monotonicNow();
      since.reads.add(answer.path);
      // What is told by two readings together is read once when both have been, and again when both have been again.
      if (since.isTold || since.reads.size < paths.length) continue;
      since.reads.clear();
      since.rounds += 1;
      if (since.rounds > READS_TO_RESOLVE && clock.monotonicNow() - since.firstAtMs > TIME_TO_RESOLVE_MS) {
        since.isTold = true;
        broken(`${id} is unknown after ${since.rounds} readings`);
      }
    }
  }

  function restart(): void {
    clearFromMs = Math.max(clearFromMs, clock.monotonicNow());
    for (const since of unknownSince.values()) {
      since.reads.clear();
      since.rounds = 0;
    }
  }

  async function look(): Promise<void> {
    if (isReached || !isProved()) return;
    if (await stage.isReached()) {
      isReached = true;
      cloud.note('it has come about');
      // Before that there was nothing to resolve it by, but that nothing was seen.
      restart();
    }
  }

  function isProved(): boolean {
    if (stage.provedBy === undefined) return true;
    const count = stage.provedBy === 'ourselves' ? cloud.executionCount() : cloud.everybodysExecutionCount();
    return count > (stage.provedBy === 'ourselves' ? 0 : executionsAtStart);
  }

  return {
    tell,
    arrived,
    answered,
    /** What stood open in the journal is open again, and locked. */
    restarted: (died: Skydeck, next: Skydeck) => {
      for (const key of unknownSince.keys()) if (key.startsWith(`${died.name} `)) unknownSince.delete(key);
      for (const operation of died.operations.all()) {
        const phases = (told.get(`${died.name} ${operation.id}`) ?? []).map(({phase}) => phase);
        const isSent = phases.some(phase => phase === 'sent');
        const found = next.operations.all().find(({id}) => id === operation.id);
        if (!isSent || phases.some(isEnded) || isJob) continue;
        if (found === undefined) {
          // Its last line may be the end, written before anybody was told of it.
          if (!died.operations.all().some(({phase}) => isEnded(phase))) broken(`${operation.id} is lost`);
          continue;
        }
        unknownSince.set(`${next.name} ${found.id}`, {
          atMs: clock.monotonicNow(),
          reads: new Set(),
          rounds: 0,
          firstAtMs: 0,
          isTold: false,
        });
        if (next.operations.begin(stage.confirmed).status !== 'locked') broken(`${found.id} is not locked any more`);
      }
    },
    finish: () => {
      for (const {id, phase} of claims) {
        const isDenial = phase === 'REFUSED' || phase === 'NOT_SENT' || phase === 'STALE';
        const isAlone = claims.every(each => each.id === id || !isEnded(each.phase));
        if (isDenial && isAlone && cloud.executionCount() > 0) broken(`${id} is ${phase}, and was executed`);
      }
    },
  };
}

type ActionRequest = {readonly method: string; readonly path: string; readonly body: string | undefined};

/** The one request that an action is, by its own endpoint. */
function requestOf(action: Action): ActionRequest {
  const {method, path, body} = callOf(action);
  return {method, path, body: body === undefined ? undefined : JSON.stringify(body)};
}

/** The paths whose answers together tell whether an action has come about. */
function readPathsOf(action: Action): readonly string[] {
  const subject = subjectOf(action);
  const base = PATHS[subject.type];
  const own = 'id' in subject && ONE_BY_ONE.has(subject.type) ? `${base}/${subject.id}` : base;
  const {alsoReads} = recordOf(action);
  if (alsoReads === 'firewalls') return [own, PATHS.firewall];
  return alsoReads === 'events' ? [own, `${own}/events`] : [own];
}

const PATHS = {
  vm: '/core/virtual-machines',
  firewall: '/core/firewalls',
  cluster: '/core/clusters',
  volume: '/core/volumes',
  'key-pair': '/core/keypairs',
  environment: '/core/environments',
  'access-key': '/object-storage/access-keys',
  bucket: '/object-storage/buckets',
  contract: '/pricebook/contracts',
  flavor: '/core/flavors',
} as const;
const ONE_BY_ONE: ReadonlySet<string> = new Set(['vm', 'firewall', 'cluster', 'volume']);

type Arrangement = {readonly stage: Stage; readonly fault: Fault; readonly request: ActionRequest};

function arrangeOthers(cloud: Cloud, arrangement: Arrangement): void {
  const when = arrangement.fault.other;
  if (when === undefined || when.endsWith('before the check')) return;
  let isDone = false;
  const act = () => {
    if (isDone) return;
    isDone = true;
    void byAnother(cloud, arrangement);
  };
  if (when.endsWith('just before')) {
    // Between the check and the request.
    cloud.subscribe(arrival => {
      if (!arrival.isOperation) act();
    });
    return;
  }
  cloud.subscribe(arrival => {
    if (!arrival.isOperation) return;
    if (when.endsWith('just after')) act();
    else cloud.time.clock.after(DISTURBED_SOON_MS, act);
  });
}

async function byAnother(cloud: Cloud, {stage, fault, request}: Arrangement): Promise<void> {
  const isSame = fault.other?.startsWith('same') === true;
  const [method, path, body] = isSame
    ? ([request.method, request.path, request.body === undefined ? undefined : JSON.parse(request.body)] as const)
    : (stage.disturbance ?? []);
  if (method === undefined || path === undefined) return;
  await cloud.ask(method, path, {...(body === undefined ? {} : {body}), asOther: true});
}

function arrangeDeath(cloud: Cloud, {death}: Fault, skydeck: () => Skydeck): void {
  if (death === undefined || !('atArrival' in death)) return;
  let isDone = false;
  const {clock} = cloud.time;
  const kill = () => {
    if (!isDone) skydeck().die();
    isDone = true;
  };
  if (death.atArrival === 'answered') {
    cloud.subscribe(({isOperation}) => {
      if (isOperation) kill();
    });
    return;
  }
  const look = () => {
    if (isDone) return;
    if (cloud.sent.some(({isOperation}) => isOperation)) kill();
    else clock.after(1, look);
  };
  clock.after(1, look);
}

async function pass(cloud: Cloud, durationMs: DurationMs): Promise<void> {
  await cloud.settle();
  await cloud.time.advance(durationMs);
  await cloud.settle();
}
