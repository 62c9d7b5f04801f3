import {measureIdleCost, measureMemory} from './at-rest.ts';
import type {Goal} from './goal.ts';
import {measureHostileBodies} from './hostile-bodies.ts';
import {measureMutation} from './mutation-score.ts';
import {measureActions, measureDeterminism, measureFingers} from './simulations.ts';
import {measureSlowReader} from './slow-reader.ts';

export const BODIES_GOAL = 16;

/** All promises about a hostile world. A new goal is a record here. */
export const GOALS: readonly Goal[] = [
  {
    number: 1,
    name: 'no double fire',
    isBlocker: true,
    asked:
      '67,200 runs of all actions under all faults, 200 on real sockets: more than one execution of a confirmation 0 times',
    counts: {runs: 67_200, 'runs on real sockets': 200},
    tests: {
      paths: [
        'test/tools/simulation.test.ts',
        'test/state/operations/operation.test.ts',
        'test/torture/real-sockets.test.ts',
      ],
    },
    measure: measureActions,
  },
  {
    number: 2,
    name: 'no false claim',
    isBlocker: true,
    asked: 'the same runs: CONFIRMED and not so, REFUSED or NOT_SENT and executed, 0 times',
    counts: {runs: 67_200},
    tests: {paths: ['test/deck/unknown-outcome.test.ts', 'test/domain/operation.test.ts', 'test/api/judge.test.ts']},
    measure: measureActions,
  },
  {
    number: 3,
    name: 'no unasked request',
    isBlocker: true,
    asked:
      '10,000 sessions of random keys and pastes, and 50 y and enter within 100 ms of a question: requests without a complete confirmation 0',
    counts: {sessions: 10_000, 'complete answers': 1000, 'questions hammered': 500},
    tests: {
      paths: [
        'test/tools/fingers.test.ts',
        'test/terminal/input.test.ts',
        'test/app/overlay/confirm.test.ts',
        'test/deck/stopping.test.ts',
      ],
    },
    measure: measureFingers,
  },
  {
    number: 4,
    name: 'unknown resolves',
    asked: 'all within 3 reads or 15 s of recovery, never sent again, none lost at any point of the journal',
    counts: {runs: 67_200, 'points of the journal': 8},
    tests: {
      paths: ['test/journeys/killed.test.ts', 'test/state/session.test.ts', 'test/state/operations/journal.test.ts'],
    },
    measure: measureActions,
  },
  {
    number: 5,
    name: 'nothing retried under us',
    isBlocker: true,
    asked: 'a real server counts 1 for each action under each fault, on new and on warmed connections',
    counts: {'requests on new connections': 250, 'requests beside warmed connections': 250},
    tests: {paths: ['test/api/operation-exchange.test.ts', 'test/api/hostile-answers.test.ts']},
  },
  {
    number: 6,
    name: 'escapes',
    isBlocker: true,
    asked:
      '2,000 fixed and 100,000 generated payloads in every text, a share of these in every output, the log too: obeyed 0 times',
    counts: {
      'fixed payloads': 2000,
      'generated payloads': 100_000,
      'generated payloads in other outputs': 10_000,
      'lines of the log': 10_000,
    },
    tests: {
      paths: [
        'test/torture/escapes.test.ts',
        'test/torture/printed-escapes.test.ts',
        'test/torture/command-escapes.test.ts',
        'test/torture/record-escapes.test.ts',
        'test/deck/hostile-text.test.ts',
        'test/domain/safe-text.test.ts',
        'test/torture/any-answer.test.ts',
        'test/terminal/frame.test.ts',
      ],
    },
  },
  {
    number: 7,
    name: 'display is target',
    isBlocker: true,
    asked:
      '100,000 pairs of names: told apart in every question, by the text or by its mark; no name unseen, the id always in sight',
    counts: {'pairs of names': 100_000, 'unseen names': 10_000},
    tests: {paths: ['test/app/overlay/question-box.test.ts', 'test/app/small-screen.test.ts']},
  },
  {
    number: 8,
    name: 'the key never leaks',
    isBlocker: true,
    asked: '40 failing runs: the key and its encodings in no output, file, argument or environment of a child',
    counts: {'failing runs': 40},
    tests: {
      paths: ['test/journeys/key-safety.test.ts', 'test/journeys/crashing.test.ts', 'test/domain/secret.test.ts'],
    },
  },
  {
    number: 9,
    name: 'the key goes to one origin',
    isBlocker: true,
    asked: '5 redirects to another host, port, scheme, and by a chain: 0 requests elsewhere; bad certificates refused',
    counts: {redirects: 20},
    tests: {
      paths: [
        'test/api/one-origin.test.ts',
        'test/api/exchange.test.ts',
        'test/api/client.test.ts',
        'test/api/operation-exchange.test.ts',
      ],
      titles: ['pinned', 'origin', 'certificate', 'redirect', 'follow'],
    },
  },
  {
    number: 10,
    name: 'file modes',
    asked: 'key, journal and log 0600 in 0700 under any umask, also where they were loose; a loose key file refused',
    counts: {tests: 12},
    tests: {
      paths: [
        'test/config/own-files.test.ts',
        'test/config/key-source.test.ts',
        'test/state/operations/journal.test.ts',
      ],
    },
  },
  {
    number: 11,
    name: 'terminal restored',
    isBlocker: true,
    asked: '24 of 24 endings leave it cooked, on its main screen, with a cursor, and no mode on',
    counts: {endings: 24},
    tests: {
      paths: [
        'test/journeys/leaving.test.ts',
        'test/journeys/suspending.test.ts',
        'test/journeys/crashing.test.ts',
        'test/terminal/lifecycle.test.ts',
      ],
    },
  },
  {
    number: 12,
    name: 'no orphan',
    isBlocker: true,
    asked: '20 of 20 lost terminals with an operation under way: gone within 2 s, at most 0.2 s of processor after',
    counts: {'lost terminals': 20},
    tests: {paths: ['test/journeys/leaving.test.ts'], titles: ['connection to the terminal drops']},
  },
  {
    number: 13,
    name: 'shape',
    asked:
      '1,000 resizes in 10 s: at most 20 repaints a second, the last frame right; odd terminals told what they lack',
    counts: {resizes: 1000},
    tests: {
      paths: [
        'test/deck/resizing.test.ts',
        'test/journeys/resizing.test.ts',
        'test/terminal/screen.test.tsx',
        'test/journeys/piping.test.ts',
        'test/panes/machines/layout.test.ts',
      ],
    },
  },
  {
    number: 14,
    name: 'slow terminal',
    asked: '1 KiB/s for 5 min: +10 MiB at most, keys 1 s after; stopped for 60 s in a question: nothing sent',
    counts: {'seconds of a slow reader': 300, 'seconds without a reader': 60},
    tests: {
      paths: ['test/terminal/screen.test.tsx', 'test/deck/stopping.test.ts'],
      titles: ['slow', 'part', 'withdrawn'],
    },
    measure: measureSlowReader,
  },
  {
    number: 15,
    name: 'malformed data',
    isBlocker: true,
    asked: '100,000 mutated answers: 0 crashes, 0 blank panes, 1 bad record hides 1 row, a bad page keeps the last',
    counts: {'mutated answers': 100_000},
    tests: {
      paths: [
        'test/torture/mutated-answers.test.ts',
        'test/deck/hostile-text.test.ts',
        'test/api/list.test.ts',
        'test/api/json-cutter.test.ts',
        'test/torture/any-answer.test.ts',
      ],
    },
  },
  {
    number: BODIES_GOAL,
    name: 'hostile bodies',
    asked: 'memory +50 MiB at most, p99 of keys 100 ms, under 20 monstrous answers',
    counts: {'hostile bodies': 20},
    tests: {
      paths: [
        'test/api/client.test.ts',
        'test/api/list.test.ts',
        'test/api/paging.test.ts',
        'test/torture/reading-memory.test.ts',
      ],
      titles: ['hostile body', 'endless', 'exceeds', 'stops', 'event loop'],
    },
    measure: measureHostileBodies,
  },
  {
    number: 17,
    name: 'polite: steady',
    isBlocker: true,
    asked: 'at most 30 requests a minute at rest with 200 machines, at most 100 whatever the keys do',
    counts: {'minutes at rest': 60, 'minutes of keys': 60},
    tests: {
      paths: [
        'test/torture/long-times.test.ts',
        'test/state/poller/request-budget.test.ts',
        'test/state/poller/poller.test.ts',
      ],
      titles: ['at most thirty', 'at most a hundred', 'hundred in any minute', 'eighty reads'],
    },
  },
  {
    number: 18,
    name: 'polite: outage',
    isBlocker: true,
    asked: 'after 60 s at most 2 requests a minute, 1 at once; of 100 that come back 10 in a second; none in a pause',
    counts: {'decks that come back': 100},
    tests: {
      paths: [
        'test/torture/coming-back.test.ts',
        'test/state/poller/circuit-breaker.test.ts',
        'test/state/poller/poller.test.ts',
      ],
    },
  },
  {
    number: 19,
    name: 'useful when down',
    asked: 'the last data on the screen through 24 h, with its age; fresh within 65 s after; 401 stops after one',
    counts: {'hours of outage': 24},
    tests: {
      paths: [
        'test/torture/long-times.test.ts',
        'test/deck/outage.test.ts',
        'test/deck/refusing.test.ts',
        'test/state/poller/poller.test.ts',
      ],
      titles: ['outage', 'away', '401', 'comes back', 'not accepted', 'last data', 'fresh again'],
    },
  },
  {
    number: 20,
    name: 'honest age',
    asked: 'the age shown is at most 1 s off; stale at 2 and 5 intervals; after 8 h of sleep nothing is called fresh',
    counts: {'hours of sleep': 8},
    tests: {
      paths: ['test/torture/long-times.test.ts', 'test/app/header.test.ts', 'test/state/monotonic-clock.test.ts'],
      titles: ['sleep', 'slept', 'age', 'clock', 'goes back', 'awake', 'interval'],
    },
  },
  {
    number: 21,
    name: 'memory',
    asked:
      'a virtual day with 200 machines and 100 actions: heap +2 MiB at most with 95 % confidence, timers constant; 120 MiB resident',
    counts: {hours: 24, actions: 100, decks: 1},
    tests: {
      paths: ['test/torture/memory.test.ts', 'test/state/store.test.ts', 'test/api/client.test.ts'],
      titles: ['no more memory', 'no timer', 'two thousand'],
    },
    measure: measureMemory,
  },
  {
    number: 22,
    name: 'idle cost',
    asked: 'a minute without change: at most 0.5 % of a core, 100 B/s to the terminal',
    counts: {'seconds at rest': 60},
    tests: {paths: ['test/terminal/screen.test.tsx'], titles: ['writes nothing']},
    measure: measureIdleCost,
  },
  {
    number: 23,
    name: 'mutation score',
    asked: 'at least 90 % of the safety core; every seeded bug turns its tests red',
    counts: {changes: 1000, 'seeded bugs': 20},
    tests: {paths: ['test/tools/seeded-bugs.test.ts']},
    measure: measureMutation,
  },
  {
    number: 24,
    name: 'determinism',
    asked: 'the same seed gives the same trace, 1,000 of 1,000',
    counts: {'runs played twice': 1000},
    tests: {paths: ['test/tools/simulation.test.ts'], titles: ['same way']},
    measure: measureDeterminism,
  },
  {
    number: 25,
    name: 'supply chain',
    asked:
      'no dependencies, at most 80 packages bundled, none native, no install scripts, npm pack lists what was built; all locked by digest',
    counts: {'packages bundled': 1, 'packages locked': 100},
    tests: {paths: ['test/torture/supply-chain.test.ts', 'test/tools/build.test.ts']},
  },
  {
    number: 26,
    name: 'contract',
    asked:
      'replies of the simulator valid against the OpenAPI it serves, and like the examples copied from the documents; every operation in their table with its method. The provider’s own OpenAPI is not here to compare with',
    counts: {'replies compared': 50, 'operations compared': 1},
    tests: {
      paths: [
        'test/simulator/http/openapi.test.ts',
        'test/simulator/http/app.test.ts',
        'test/api/every-operation.test.ts',
        'test/api/endpoints.test.ts',
      ],
    },
  },
];
