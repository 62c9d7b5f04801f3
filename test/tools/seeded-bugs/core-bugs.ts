import type {SeededBug} from './bugs.ts';

const CORE = 'src/state/operations/operation.ts';
const BOOK = 'src/state/operations/operation-book.ts';
const CHECK = 'src/state/operations/operation-check.ts';
const CORE_TESTS = ['test/state/operations/operation.test.ts'];
const SIMULATION = ['test/tools/simulation.test.ts'];
const STOP = '^vm.stop ';

/** Mistakes of the way every action goes: lock, check, journal, one request, watch. */
export const CORE_BUGS: readonly SeededBug[] = [
  {
    name: 'there is no lock',
    path: CORE,
    from: "if (holder !== undefined) return {status: 'locked', by: holder};",
    to: '',
    tests: SIMULATION,
    title: STOP,
  },
  {
    name: 'the lock is taken only after something was awaited',
    path: BOOK,
    from: 'if (!this.#locks.has(key)) this.#locks.set(key, operation.id);',
    to: 'void Promise.resolve().then(() => this.#locks.set(key, operation.id));',
    tests: CORE_TESTS,
  },
  {
    name: 'the lock is given back as soon as nobody knows',
    path: BOOK,
    from: 'if (isEnded(operation.phase) && !isEnded(known.operation.phase)) this.#release(operation);',
    to: "if (isEnded(operation.phase) || operation.phase === 'unknown') this.#release(operation);",
    tests: SIMULATION,
    title: STOP,
  },
  {
    name: 'the lock is given back with the yes of the service',
    path: BOOK,
    from: 'if (isEnded(operation.phase) && !isEnded(known.operation.phase)) this.#release(operation);',
    to: "if (isEnded(operation.phase) || operation.phase === 'accepted') this.#release(operation);",
    tests: CORE_TESTS,
  },
  {
    name: 'the lock is on the id alone',
    path: 'src/domain/action.ts',
    from: "if ('id' in subject) return",
    to: "if ('id' in subject) return String(subject.id);\n  if ('id' in subject) return",
    tests: ['test/domain/action.test.ts'],
  },
  {
    name: 'an unknown is sent again by itself',
    path: CORE,
    from: '    if (failure === undefined) this.#watch.hasten(',
    to: `    if (this.#book.get(sent.id)?.phase === 'unknown') void definitionOf(actions, sent.action).sendOnce(client, sent.action);
    if (failure === undefined) this.#watch.hasten(`,
    tests: CORE_TESTS,
  },
  {
    name: 'nothing is looked at before sending',
    path: CORE,
    from: 'await checkBeforeSending(begun, {...this.#options, isJustAnswered})',
    to: 'await Promise.resolve(begun)',
    tests: CORE_TESTS,
  },
  {
    name: 'a check that fails does not matter',
    path: CHECK,
    from: "return {...operation, phase: 'NOT_SENT', detail, failure: look.failure};",
    to: 'return {...operation, detail};',
    tests: CORE_TESTS,
  },
  {
    name: 'an old yes is as good as a new one',
    path: 'src/domain/operation.ts',
    from: 'MAX_CONFIRMATION_AGE_MS: DurationMs = 30 * SECOND_MS',
    to: 'MAX_CONFIRMATION_AGE_MS: DurationMs = Number.POSITIVE_INFINITY',
    tests: CORE_TESTS,
  },
  {
    name: 'what was withdrawn is sent once its check is answered',
    path: CORE,
    from: "if (this.#book.get(begun.id)?.phase !== 'preflight') return;",
    to: '',
    tests: CORE_TESTS,
  },
  {
    name: 'a sleeping machine counts as no time',
    path: 'src/state/monotonic-clock.ts',
    from: 'if (aheadMs > SHORTEST_SLEEP_MS) sleptMs += aheadMs;',
    to: 'if (aheadMs > SHORTEST_SLEEP_MS) sleptMs = 0;',
    tests: ['test/state/monotonic-clock.test.ts'],
  },
  {
    name: 'the journal is written after sending',
    path: CORE,
    from: '    const unwritten = this.#lines.write(sent);',
    to: `    await definitionOf(actions, sent.action).sendOnce(client, sent.action);
    const unwritten = this.#lines.write(sent);`,
    tests: CORE_TESTS,
  },
  {
    name: 'what cannot be written down is sent all the same',
    path: CORE,
    from: "if (unwritten !== undefined) return this.#advance({...checked, phase: 'NOT_SENT', detail: unwritten});",
    to: '',
    tests: CORE_TESTS,
  },
  {
    name: 'what is open in the journal is not locked',
    path: BOOK,
    from: 'if (!this.#locks.has(key)) this.#locks.set(key, operation.id);',
    to: "if (origin.kind === 'own') this.#locks.set(key, operation.id);",
    tests: SIMULATION,
    title: STOP,
  },
  {
    name: 'what is open in the journal is forgotten',
    path: CORE,
    from: 'for (const entry of journal.latest().entries.filter(each => awaitsOutcome(each, actions))) {',
    to: 'for (const entry of journal.latest().entries.filter(each => awaitsOutcome(each, actions) && each.phase !== "sent")) {',
    tests: SIMULATION,
    title: STOP,
  },
  {
    name: 'of two skydecks at once both send',
    path: CORE,
    from: 'return rivals.some(entry => awaitsOutcome(entry, actions) && news.indexOf(entry) < own);',
    to: 'return rivals.some(entry => awaitsOutcome(entry, actions) && news.indexOf(entry) < own && own < 0);',
    tests: ['test/state/operations/operation-entry.test.ts'],
  },
  {
    name: 'another skydeck is not heard of',
    path: CORE,
    from: '    this.#readNews();\n    const {action} = confirmed;',
    to: '    const {action} = confirmed;',
    tests: ['test/state/operations/operation-entry.test.ts'],
  },
  {
    name: 'a line of the journal may still be in memory when the request leaves',
    path: 'src/state/operations/journal.ts',
    from: '    fsyncSync(file);\n    if (size === 0)',
    to: '    if (size === 0)',
    tests: ['test/state/operations/journal.test.ts'],
  },
  {
    name: 'the name of a new journal may still be in memory',
    path: 'src/state/operations/journal.ts',
    from: 'if (size === 0) syncFolder(folder);',
    to: '',
    tests: ['test/state/operations/journal.test.ts'],
  },
  {
    name: 'a torn line swallows the next',
    path: 'src/state/operations/journal.ts',
    from: "const start = size > 0 && !endsInLineEnd(file, size) ? '\\n' : '';",
    to: "const start = size > 0 && !endsInLineEnd(file, size) ? '' : '';",
    tests: ['test/state/operations/journal.test.ts'],
  },
  {
    name: 'the journal keeps start-up scripts',
    path: 'src/actions/machines/creation.ts',
    from: '{userData: KEPT_OUT}',
    to: '{userData: userData.reveal()}',
    tests: ['test/actions/journalled.test.ts'],
  },
  {
    name: 'a read-only session can act',
    path: 'src/state/session.ts',
    from: '? {...shared, operations: undefined, unlock: makeOperations}',
    to: '? {...shared, operations: makeOperations(), unlock: makeOperations}',
    tests: ['test/state/session.test.ts'],
  },
  {
    name: 'a chain goes on before the step before it is confirmed',
    path: 'src/state/operations/plan.ts',
    from: "if (phase === 'CONFIRMED') return 'go';",
    to: "if (phase === 'CONFIRMED' || phase === 'accepted') return 'go';",
    tests: ['test/state/operations/plan.test.ts'],
  },
  {
    name: 'a batch goes on behind what nobody knows the outcome of',
    path: 'src/domain/operation.ts',
    from: "= phase === 'unknown' || phase === 'NO_EFFECT_SEEN' || (failure !== undefined && !isEnded(phase));",
    to: "= phase === 'NO_EFFECT_SEEN';",
    tests: ['test/state/operations/plan.test.ts'],
  },
  {
    name: 'what was undone is undone from the wrong end',
    path: 'src/state/operations/undo.ts',
    from: '    .reverse();',
    to: '    .slice();',
    tests: ['test/state/operations/undo.test.ts'],
  },
  {
    name: 'the undo of a stop is another stop',
    path: 'src/actions/machines/power.ts',
    from: 'action: startMachine.with({id})',
    to: 'action: stopMachine.with({id})',
    tests: ['test/actions/actions.test.ts'],
  },
  {
    name: 'what nobody saw take effect can be undone',
    path: 'src/domain/undo.ts',
    from: "if (phase !== 'CONFIRMED') return",
    to: "if (phase === 'NOT_SENT') return",
    tests: ['test/domain/undo.test.ts'],
  },
];
