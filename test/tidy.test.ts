import {existsSync, readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import mutation from '../mutation.config.ts';
import {declaredPackages, filesBelow} from './support/repository.ts';
import {codeOnly, type SourceFile} from './support/source-text.ts';
import {
  type Check,
  componentsAreRendered,
  dynamicImportsArePlain,
  type Exception,
  importsAgainst,
  noCode,
  noNeighbours,
  noNeighboursIn,
  noText,
  type Permissions,
  packagesAgainst,
  pathsAreTidy,
  pathsWithoutFiles,
  startsWithin,
  startsWithout,
  unusedGrants,
} from './support/tidy-checks.ts';

/** The feeds that actions and resources read, and what is read from them. The rest of state they know by its types. */
const FEEDS = [
  'account',
  'billing',
  'catalogue',
  'clusters',
  'contracts',
  'environments',
  'feed',
  'firewalls',
  'gpu-load',
  'key-pairs',
  'machines',
  'object-storage',
  'volumes',
].map(name => `state/${name}.ts`);

/** Who may import whom below src. Its own folder is open to every file, except where a rule below says otherwise. */
const IMPORT_TABLE: Readonly<Record<string, Permissions>> = {
  domain: {always: []},
  api: {always: ['domain']},
  // The setting lists the themes by name: elsewhere a new theme would have to be written down twice.
  config: {always: ['domain', 'ui/theme.ts']},
  state: {always: ['domain', 'api', 'config']},
  // An assessment says what an action means from what is known now, so it reads feeds; sending is the engine's.
  actions: {
    always: ['domain', 'api', 'resources', ...FEEDS, 'ui/format.ts', 'ui/form-field.ts'],
    types: ['state', 'ui/text.ts'],
  },
  terminal: {always: ['domain/safe-text.ts'], types: ['domain']},
  // A theme is made for what the terminal can show.
  ui: {always: ['domain', 'terminal/glyphs.ts'], types: ['terminal/abilities.ts']},
  // A column gives its value as it is shown, in words or as a bar, and a detail its lines, so that panes and commands
  // show the same; no component.
  resources: {
    always: [
      'domain',
      'api',
      ...FEEDS,
      'state/list-changes.ts',
      'state/long-metrics.ts',
      'state/store.ts',
      'state/timeline.ts',
      'state/waste.ts',
      'ui/format.ts',
      'ui/gauge.ts',
      'ui/sparkline.ts',
      'ui/text.ts',
      'ui/wrap.ts',
    ],
    types: ['state', 'ui/table.ts', 'ui/theme.ts'],
  },
  // What other systems see.
  export: {always: ['domain', 'state']},
  panes: {always: ['domain', 'state', 'ui', 'resources', 'actions']},
  app: {always: ['domain', 'state', 'ui', 'panes', 'resources', 'actions', 'terminal', 'config']},
  cli: {
    always: ['domain', 'api', 'state', 'config', 'resources', 'actions', 'export', 'ui/format.ts'],
    // The terminal itself is handed to it by the program.
    types: ['terminal/ask.ts', 'terminal/run-program.ts'],
    onDemand: ['ui', 'simulator'],
  },
  // It shares nothing with the program, or one misreading would prove itself.
  simulator: {always: []},
  'program.tsx': {
    always: [
      'domain',
      'api',
      'config',
      'state',
      'resources',
      'actions',
      'terminal',
      'ui',
      'panes',
      'app',
      'cli',
      'simulator',
    ],
  },
  // What has to be there before anything is loaded: no library, no pane, no store.
  'skydeck.ts': {
    always: ['domain/time.ts', 'config/compile-cache.ts', 'config/heap.ts', 'app/crash-report.ts', 'app/opening.ts'],
    onDemand: ['program.tsx'],
  },
};

/** Which packages live where below src; program.tsx may import all of them. */
const PACKAGE_TABLE: Readonly<Record<string, readonly string[]>> = {
  'node:': ['api', 'app', 'cli', 'config', 'export', 'simulator', 'state', 'terminal', 'skydeck.ts'],
  react: ['ui', 'panes', 'app'],
  ink: ['ui', 'panes', 'app'],
  '@alcalzone/ink-table': ['ui'],
  asciichart: ['ui'],
  'string-width': ['ui', 'terminal'],
  ky: ['api'],
  // Schemas stand at the edges: what comes over the wire, and what is read back from a file.
  zod: ['api', 'config', 'simulator', 'state/operations/journal.ts', 'actions'],
  conf: ['config'],
  commander: ['cli'],
  'prom-client': ['export'],
  hono: ['simulator'],
  '@hono/node-server': ['simulator'],
};

const CLOCK_EXCEPTIONS: readonly Exception[] = [
  {
    path: 'src/program.tsx',
    allows: ['Date.now', 'performance.now', 'setTimeout', 'setInterval', 'Math.random'],
    reason: 'The clocks and the source of chance enter the program here.',
  },
  {
    path: 'src/skydeck.ts',
    allows: ['Date.now', 'performance.now', 'setTimeout'],
    reason: 'The first frame is drawn before the program with its clocks is loaded.',
  },
  {
    path: 'src/api/slices.ts',
    allows: ['setTimeout'],
    reason: 'The rest between slices is for keys and the garbage collector, which no clock of a test drives.',
  },
  {
    path: 'src/simulator/http/server.ts',
    allows: ['Date.now', 'performance.now', 'setTimeout', 'setInterval'],
    reason: 'The small cloud is a program of its own and brings its own clock where none is given.',
  },
  {
    path: 'src/terminal/lifecycle.ts',
    allows: ['setTimeout', 'setInterval'],
    reason: 'The watchdog must end a program whose own clock and loop are stuck.',
  },
  {
    path: 'src/simulator/http/callback-delivery.ts',
    allows: ['AbortSignal.timeout'],
    reason: 'A receiver that does not answer is given up in real time, whatever the clock of the small cloud says.',
  },
];

/** Where an operation may be sent from, and what passes it on. */
const SENDING: readonly Exception[] = [
  {path: 'src/state/operations/operation.ts', allows: ['.sendOnce('], reason: 'The engine sends, once.'},
  {path: 'src/state/poller/request-log.ts', allows: ['.sendOnce('], reason: 'It writes down what the engine sends.'},
  {
    path: 'src/actions/define.ts',
    allows: ['.sendOnce('],
    reason: 'A record says which request it is; the engine calls it.',
  },
];

/** What the first frame is drawn with, before anything is known. */
const FIRST_FRAME = [
  'app/crash-report.ts',
  'app/first-frame.ts',
  'app/look.ts',
  'app/opening.ts',
  'app/tab-line.ts',
  'panes/tabs.ts',
  'ui/format.ts',
  'ui/frame-box.ts',
  'ui/text.ts',
  'ui/theme.ts',
  'ui/wrap.ts',
];

const CLOCKS =
  /\b(?:Date\.now|Math\.random|performance\.now|process\.hrtime|setTimeout|setInterval|AbortSignal\.timeout)\b|\bnew Date\b(?:\(\s*\)|(?!\())|(?<!\bnew\s+)\bDate\(/g;
// Put together here, so that this file does not hold what it forbids.
const UNFINISHED = new RegExp(`\\b(?:${'TO'}${'DO'}|FIX${'ME'}|XX${'X'})\\b`, 'g');
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
const TAGGED_BEYOND_ASCII = /\bsay`[^`]*[^\u0000-\u007f`][^`]*`/g;
const MACHINE_PATHS = new RegExp(`(?<![\\w.])/(?:${'wo'}rk|${'t'}mp|home|root)/`, 'g');

type Rule = {
  readonly title: string;
  readonly check: Check;
  readonly appliesTo: (path: string) => boolean;
  /** Each must be found wrong, or the check proves nothing. */
  readonly bad: readonly (readonly SourceFile[])[];
  /** Each is close to a bad one and right. */
  readonly good?: readonly (readonly SourceFile[])[];
};

const isSource = (path: string): boolean => path.startsWith('src/');
const isAny = (): boolean => true;
const one = (path: string, text: string): SourceFile[] => [{path, text}];

const RULES: readonly Rule[] = [
  {
    title: 'imports between folders follow the import table',
    check: importsAgainst(IMPORT_TABLE),
    appliesTo: isSource,
    bad: [
      one('src/domain/money.ts', `import {x} from '../api/client.ts';`),
      one('src/domain/triage/idle.ts', `import type {X} from '../../state/store.ts';`),
      one('src/ui/table.ts', `import {x} from '../terminal/lifecycle.ts';`),
      one('src/cli/commands/get.ts', `import {x} from '../../ui/table.ts';`),
      one('src/cli/ask.ts', `import {x} from '../terminal/input.ts';`),
      one('src/actions/volumes.ts', `import {x} from '../state/operations/operation.ts';`),
      one('src/actions/volumes.ts', `import {x} from '../state/session.ts';`),
      one('src/cli/commands/get.ts', `import {x} from '../../panes/machines/pane.tsx';`),
      one('src/simulator/world/world.ts', `import {x} from '../../domain/money.ts';`),
      one('src/simulator/world/world.ts', `import type {Clock} from '../../domain/time.ts';`),
      one('src/panes/machines/rows.ts', `const x = await import('../../api/client.ts');`),
      one('src/extra/x.ts', `import {x} from '../domain/money.ts';`),
      one('src/app/app.tsx', `import {x} from '../../test/support/clock.ts';`),
      one('src/loose.ts', `import {x} from './domain/money.ts';`),
    ],
    good: [
      one(
        'src/cli/commands/get.ts',
        `const x = await import('../../ui/table.ts');\nimport {y} from '../../state/store.ts';`,
      ),
      one('src/simulator/world/world.ts', `import {y} from './random.ts';`),
      one('src/domain/triage/idle.ts', `import {x} from '../money.ts';`),
      one('src/ui/table.ts', `// import {x} from '../api/client.ts';\nimport {y} from '../terminal/glyphs.ts';`),
    ],
  },
  {
    title: 'packages stay in their folders and stand in package.json',
    check: packagesAgainst(PACKAGE_TABLE, declaredPackages()),
    appliesTo: isSource,
    bad: [
      one('src/domain/money.ts', `import * as z from 'zod';`),
      one('src/domain/money.ts', `import {readFileSync} from 'node:fs';`),
      one('src/state/poller/poller.ts', `import type {KyInstance} from 'ky';`),
      one('src/ui/table.ts', `import chalk from 'left-pad';`),
      one('src/cli/commands/get.ts', `const {render} = await import('ink');`),
    ],
    good: [one('src/api/client.ts', `import ky from 'ky';`), one('src/program.tsx', `import {render} from 'ink';`)],
  },
  {
    title: 'panes do not import each other',
    check: noNeighbours({pattern: /^src\/panes\/([^/]+)\//, shared: ['list']}),
    appliesTo: isSource,
    bad: [one('src/panes/billing/pane.tsx', `import {x} from '../machines/rows.ts';`)],
    good: [
      one('src/panes/billing/pane.tsx', `import {x} from './rows.ts';\nimport {y} from '../command.ts';`),
      one('src/panes/panes.ts', `import {x} from './billing/pane.tsx';`),
    ],
  },
  {
    title: 'api resources do not import each other',
    check: noNeighboursIn({
      list: 'src/api/endpoints.ts',
      shared: ['endpoint.ts', 'client.ts', 'json.ts', 'fields.ts'],
    }),
    appliesTo: isSource,
    bad: [
      [
        {path: 'src/api/endpoints.ts', text: `import {a} from './flavors.ts';\nimport {b} from './billing.ts';`},
        {path: 'src/api/billing.ts', text: `import {a} from './flavors.ts';`},
      ],
    ],
    good: [
      [
        {path: 'src/api/endpoints.ts', text: `import {a} from './flavors.ts';\nimport {b} from './fields.ts';`},
        {path: 'src/api/flavors.ts', text: `import {b} from './fields.ts';`},
      ],
    ],
  },
  {
    title: 'what is true of a kind of action stands in its record',
    check: noText('tests for a kind of action by its name', /\bkind\s*[!=]==\s*'[a-z-]+\.[a-z-]+'/g),
    appliesTo: isSource,
    bad: [
      one('src/state/handover.ts', `return action?.kind === 'vm.hibernate';`),
      one('src/panes/x.ts', `const is = action.kind !== 'access-key.create';`),
    ],
    good: [one('src/state/handover.ts', `return targetStatus === 'HIBERNATED' || result?.kind === 'created';`)],
  },
  {
    title: 'the program and its commands start without the UI library',
    check: startsWithout(['react', 'ink'], path => path === 'src/program.tsx' || path.startsWith('src/cli/')),
    appliesTo: isSource,
    bad: [
      one('src/program.tsx', `import {render} from 'ink';`),
      [
        {path: 'src/cli/commands/get.ts', text: `import {rows} from '../../panes/machines/rows.ts';`},
        {path: 'src/panes/machines/rows.ts', text: `import {table} from '../../ui/table.ts';`},
        {path: 'src/ui/table.ts', text: `import {useMemo} from 'react';`},
      ],
    ],
    good: [
      [
        {
          path: 'src/program.tsx',
          text: `const {run} = await import('./app/app.tsx');\nimport type {X} from './app/app.tsx';`,
        },
        {path: 'src/app/app.tsx', text: `import {useStdin} from 'ink';`},
      ],
    ],
  },
  {
    title: 'import() is given plain paths',
    check: dynamicImportsArePlain,
    appliesTo: isSource,
    bad: [one('src/program.tsx', 'const x = await import(path);')],
    good: [one('src/program.tsx', `const x = await import('./cli/commands/get.ts');`)],
  },
  {
    title: 'folders and files are named as agreed',
    check: pathsAreTidy,
    appliesTo: isAny,
    bad: [
      ...['utils', 'helpers', 'common', 'types', 'hooks'].map(folder => one(`src/ui/${folder}/x.ts`, '')),
      one('src/ui/index.ts', ''),
      one('src/ui/DataTable.tsx', ''),
      one('src/ui/data_table.ts', ''),
    ],
    good: [one('src/ui/data-table.tsx', ''), one('test/ui/data-table.test.tsx', ''), one('src/api/ipv4.ts', '')],
  },
  {
    title: 'nothing is exported by default or from elsewhere',
    check: noCode(
      'exports in a banned way',
      /\bexport\s+default\b|\bexport\s+(?:type\s+)?(?:\*|\{[^}]*\})[^;'"]*\bfrom\b/g,
    ),
    appliesTo: isAny,
    bad: [
      one('src/ui/x.ts', 'export default function x() {}'),
      one('src/ui/x.ts', `export {a} from './a.ts';`),
      one('src/ui/x.ts', `export type {A} from './a.ts';`),
      one('src/ui/x.ts', `export * from './a.ts';`),
      one('src/ui/x.ts', `export * as a from './a.ts';`),
    ],
    good: [one('src/ui/x.ts', `export {a};\nimport {b} from './b.ts';`), one('src/ui/x.ts', '// export default')],
  },
  {
    title: 'clocks and chance come as arguments',
    check: noCode('asks the machine for time or chance', CLOCKS, CLOCK_EXCEPTIONS),
    appliesTo: isSource,
    bad: [
      one('src/domain/x.ts', 'const now = Date.now();'),
      one('src/domain/x.ts', 'const now = new Date();'),
      one('src/domain/x.ts', 'const now = new Date;'),
      one('src/domain/x.ts', 'const dice = Math.random();'),
      one('src/state/x.ts', 'const now = performance.now();'),
      one('src/ui/x.ts', 'setTimeout(draw, 1);'),
      one('src/state/x.ts', `import {setTimeout as pause} from 'node:timers/promises';`),
      one('src/ui/x.ts', 'const timer = globalThis.setInterval(draw, 1);'),
      one('src/terminal/lifecycle.ts', 'const now = Date.now();'),
      one('src/domain/x.ts', 'const now = Date();'),
      one('src/domain/x.ts', 'const end = AbortSignal.timeout(1000);'),
    ],
    good: [
      one('src/domain/x.ts', 'const day = new Date(now); // not new Date()'),
      one('src/terminal/lifecycle.ts', 'setTimeout(end, 2000);'),
      one('src/domain/x.ts', 'const text = "Date.now";'),
    ],
  },
  {
    title: 'the domain asks nothing of the machine it runs on',
    check: noCode(
      'asks the machine',
      /\b(?:crypto|process|globalThis|navigator|fetch|setImmediate|queueMicrotask)\b\s*[.(]/g,
    ),
    appliesTo: path => path.startsWith('src/domain/'),
    bad: [
      one('src/domain/x.ts', 'const id = crypto.randomUUID();'),
      one('src/domain/x.ts', 'const {TZ} = process.env;'),
      one('src/domain/x.ts', 'const now = globalThis.Date.now();'),
    ],
    good: [one('src/domain/x.ts', `const advice = say\`before a process is killed\`;`)],
  },
  {
    title: 'only api and the simulator speak HTTP',
    check: noCode('sends a request of its own', /\b(?:fetch\s*\(|new\s+(?:XMLHttpRequest|WebSocket|EventSource)\b)/g),
    appliesTo: path => isSource(path) && !path.startsWith('src/api/') && !path.startsWith('src/simulator/'),
    bad: [
      one('src/resources/x.ts', 'const answer = await fetch(url);'),
      one('src/state/x.ts', 'const answer = await globalThis.fetch(url);'),
      one('src/panes/x.ts', 'const socket = new WebSocket(url);'),
    ],
    good: [one('src/simulator/http/service.ts', 'const answer = await app.fetch(request);')],
  },
  {
    title: 'only the engine sends an operation',
    check: noCode('sends an operation', /\.sendOnce\(/g, SENDING),
    appliesTo: isSource,
    bad: [
      one('src/panes/machines/commands.ts', 'await client.sendOnce(stopVirtualMachine, {id});'),
      one('src/cli/operations/operation.ts', 'await record.sendOnce(client, action);'),
    ],
    good: [one('src/state/operations/operation.ts', 'const reply = await record.sendOnce(client, action);')],
  },
  {
    title: 'rules of triage do not import each other',
    check: noNeighboursIn({list: 'src/domain/triage/rules.ts', shared: ['finding.ts']}),
    appliesTo: isSource,
    bad: [
      [
        {path: 'src/domain/triage/rules.ts', text: `import {a} from './idle.ts';\nimport {b} from './saturated.ts';`},
        {path: 'src/domain/triage/saturated.ts', text: `import {a} from './idle.ts';`},
      ],
    ],
    good: [
      [
        {
          path: 'src/domain/triage/rules.ts',
          text: `import {a} from './idle.ts';\nimport type {B} from './finding.ts';`,
        },
        {path: 'src/domain/triage/idle.ts', text: `import {b} from './finding.ts';\nimport {c} from './words.ts';`},
      ],
    ],
  },
  {
    title: 'the start loads no store, no pane and no command',
    check: startsWithin('src/skydeck.ts', ['skydeck.ts', 'terminal', 'config', 'domain', ...FIRST_FRAME]),
    appliesTo: isSource,
    bad: [
      [
        {path: 'src/skydeck.ts', text: `import {firstFrame} from './app/first-frame.ts';`},
        {path: 'src/app/first-frame.ts', text: `import {store} from '../state/store.ts';`},
        {path: 'src/state/store.ts', text: ''},
      ],
    ],
    good: [
      [
        {
          path: 'src/skydeck.ts',
          text: `import {firstFrame} from './app/first-frame.ts';\nawait import('./program.tsx');`,
        },
        {path: 'src/app/first-frame.ts', text: `import {x} from '../ui/format.ts';`},
        {path: 'src/program.tsx', text: `import {store} from './state/store.ts';`},
      ],
    ],
  },
  {
    title: 'the start loads no library',
    check: startsWithout(declaredPackages(), path => path === 'src/skydeck.ts'),
    appliesTo: isSource,
    bad: [
      [
        {path: 'src/skydeck.ts', text: `import {firstFrame} from './app/first-frame.ts';`},
        {path: 'src/app/first-frame.ts', text: `import * as z from 'zod';`},
      ],
    ],
    good: [one('src/skydeck.ts', `import module from 'node:module';`)],
  },
  {
    title: 'nothing is written past the two outputs',
    check: noCode('uses the console', /\bconsole\s*\.\s*\w+/g),
    appliesTo: isSource,
    bad: [one('src/cli/commands/get.ts', 'console.log(1);')],
    good: [one('src/cli/commands/get.ts', `// console.log(1);\nconst text = 'console.log';`)],
  },
  {
    title: 'nothing is left unfinished',
    check: noText('is unfinished', UNFINISHED),
    appliesTo: isAny,
    bad: [one('src/ui/x.ts', `// ${'TO'}DO: colours`), one('test/ui/x.test.ts', `/* FIX${'ME'} */`)],
    good: [one('src/ui/x.ts', `const method = 'to-do';`)],
  },
  {
    // esbuild escapes other texts. V8 holds a file with one such character at two bytes for each of its characters.
    title: 'a template with a tag is written in ASCII',
    check: noText('is not ASCII', TAGGED_BEYOND_ASCII),
    appliesTo: isSource,
    bad: [one('src/domain/x.ts', 'const words = say`was \u2192 is`;')],
    good: [
      one('src/domain/x.ts', 'const words = say`was \\u2192 is`;'),
      one('src/domain/x.ts', "const words = [say`was`, '\u2192', `\u2192`];"),
    ],
  },
  {
    title: 'no document is cited that does not come with the code',
    check: noText('cites a document', /\b(?!README\b)[\w-]+\.md\b/g),
    appliesTo: isAny,
    bad: [one('src/domain/x.ts', `/** Billed in full (prices.${'md'} 2.7). */`)],
    good: [one('src/domain/x.ts', '/** The README says what it was checked against: README.md. */')],
  },
  {
    title: 'no path of a single machine is written down',
    check: noText('names a path of one machine', MACHINE_PATHS),
    appliesTo: isAny,
    bad: [
      one('src/state/x.ts', `const file = '/${'t'}mp/x';`),
      one('test/x.test.ts', `const root = '/${'wo'}rk/main';`),
    ],
    good: [one('src/state/x.ts', `const path = '/core/work/1';`)],
  },
  {
    title: 'components are rendered, not called',
    check: componentsAreRendered,
    appliesTo: isSource,
    bad: [
      one(
        'src/ui/list.tsx',
        'export function List(props: Props) {\n  return Row(props);\n}\nfunction Row() {\n  return 1;\n}',
      ),
      one('src/ui/list.tsx', 'const Row = memo(function Row() {\n  return 1;\n});\nconst row = Row(props);'),
      one('src/ui/list.tsx', 'function row() {\n  return <Box />;\n}\nconst it = row();'),
      one('src/ui/list.tsx', 'const row = (text: string) => <Text>{text}</Text>;\nconst it = [row(1)];'),
      [
        {path: 'src/ui/list.tsx', text: 'export function List() {\n  return <Box />;\n}'},
        {path: 'src/panes/pane.ts', text: `import {List} from '../ui/list.tsx';\nconst it = List({});`},
      ],
      one('src/ui/compose.tsx', 'const inside = node.type(node.props);'),
      [
        {path: 'src/panes/part.ts', text: 'type Part = {readonly List: ComponentType<Props>};'},
        {path: 'src/panes/pane.ts', text: 'const list = part.List({});'},
      ],
      [
        {path: 'src/panes/part.ts', text: 'type Part = {readonly Screen?: ComponentType<Props>};'},
        {path: 'src/panes/pane.ts', text: 'const {Screen} = part;\nconst screen = Screen({});'},
      ],
    ],
    good: [
      one(
        'src/ui/list.tsx',
        'function List() {\n  return <Row name={nameOf(row)} />;\n}\nfunction nameOf(row: Row) {\n  return row.name;\n}',
      ),
      one(
        'src/ui/list.tsx',
        'function Row() {\n  return <Box />;\n}\n// Row(props)\nconst count = Number(text) + new Row(1).size;',
      ),
    ],
  },
  {
    title: 'only the app listens to keys',
    check: noCode('listens to keys', /\b(?:useInput|usePaste|listenToTerminal)\b/g, [
      {path: 'src/terminal/input.ts', allows: ['listenToTerminal'], reason: 'It is defined there.'},
      {path: 'src/app/app.tsx', allows: ['listenToTerminal'], reason: 'It gives every key to the keymap.'},
      {path: 'src/terminal/ask.ts', allows: ['listenToTerminal'], reason: 'A command asks before the deck exists.'},
    ]),
    appliesTo: isSource,
    bad: [one('src/ui/dialog.tsx', `import {useInput} from 'ink';`), one('src/app/app.tsx', 'usePaste(add);')],
    good: [one('src/app/app.tsx', 'listenToTerminal(stdin, {take});')],
  },
  {
    title: 'tests test the real thing, all of them',
    check: noCode(
      'mocks, skips or singles out',
      /\bvi\s*\.\s*(?:do)?[mM]ock\b|\.(?:only|skip|todo|fails)\b(?=\s*[(.])/g,
    ),
    appliesTo: path => /\.test\.tsx?$/.test(path),
    bad: [
      one('test/ui/x.test.ts', `vi.mock('../../src/ui/x.ts');`),
      one('test/ui/x.test.ts', `test.only('draws', draw);`),
      one('test/ui/x.test.ts', `describe.skip('draws', draw);`),
      one('test/ui/x.test.ts', `test.todo('draws');`),
    ],
    good: [one('test/ui/x.test.ts', `test.skipIf(isMac)('reads the process table', read);`)],
  },
];

const files = [...filesBelow('src'), ...filesBelow('test')];

describe.each(RULES)('$title', ({check, appliesTo, bad, good = []}) => {
  const complaintsAbout = (all: readonly SourceFile[]): readonly string[] =>
    check(all.filter(({path}) => appliesTo(path)));

  test('holds for every file', () => {
    expect(complaintsAbout(files)).toEqual([]);
  });

  test('finds every bad sample and no good one', () => {
    expect(bad.length).toBeGreaterThan(0);
    expect(bad.filter(sample => complaintsAbout(sample).length === 0)).toEqual([]);
    expect(good.flatMap(complaintsAbout)).toEqual([]);
  });
});

test('every exception names a file of the program and says why', () => {
  const paths = new Set(files.map(({path}) => path));
  const exceptions = [...CLOCK_EXCEPTIONS, ...SENDING];
  expect(exceptions.filter(({path, reason}) => !paths.has(path) || !reason.endsWith('.'))).toEqual([]);
});

test('the import table grants only what is imported', () => {
  const sources = files.filter(({path}) => isSource(path));
  // The program itself puts all of it together.
  const {'program.tsx': _all, ...folders} = IMPORT_TABLE;
  expect(unusedGrants(folders, sources)).toEqual([]);
  const table = {ui: {always: ['domain', 'terminal'], types: ['state']}};
  expect(unusedGrants(table, one('src/ui/x.ts', `import {y} from '../domain/y.ts';`))).toEqual([
    'ui: terminal',
    'ui: state',
  ]);
});

test('every option and setting is read somewhere', () => {
  const path = 'src/config/options.ts';
  const text = files.find(file => file.path === path)?.text ?? '';
  const others = files.filter(file => isSource(file.path) && file.path !== path);
  // In its own file a setting is read where the domain takes it.
  const read = [...text.matchAll(/\bsettings\.\w+/g)].map(match => match[0]);
  const unread = (names: readonly string[], sources: readonly SourceFile[]) => {
    const code = [...read, ...sources.map(source => codeOnly(source.text))].join('\n');
    return names.filter(name => !new RegExp(`\\b${name}\\b`).test(code));
  };
  const names = [...text.matchAll(/^ {2,4}(\w+)(?:: \{$|: \{flag|: z$|: z\.|: dollars)/gm)].map(
    match => match[1] ?? '',
  );
  expect(names).toEqual(expect.arrayContaining(['keyCommand', 'readOnly', 'refreshSeconds', 'billingByState']));
  expect(unread(names, others)).toEqual([]);
  expect(unread(['mistyped'], one('src/cli/x.ts', `// mistyped\nconst flag = 'mistyped';`))).toEqual(['mistyped']);
});

test('the tables name only what exists', () => {
  const sources = files.filter(({path}) => isSource(path));
  const permissions = Object.values(IMPORT_TABLE).flatMap(row => Object.values(row).flat());
  const homes = Object.values(PACKAGE_TABLE).flat();
  const named = [...Object.keys(IMPORT_TABLE), ...permissions, ...homes];
  expect(pathsWithoutFiles(named, sources)).toEqual([]);
  expect(Object.keys(PACKAGE_TABLE).filter(name => name !== 'node:' && !declaredPackages().includes(name))).toEqual([]);
  expect(pathsWithoutFiles(['domain', 'gone', 'panes/*/gone.ts'], sources)).toEqual(['gone', 'panes/*/gone.ts']);
});

test('mutations are made in files that exist and noticed by tests that exist', () => {
  const {mutate}: {mutate: string[]} = JSON.parse(readFileSync('stryker.config.json', 'utf8'));
  const tests = mutation.test?.include?.flatMap(alternatives) ?? [];
  expect([...mutate, ...tests].filter(path => !existsSync(path))).toEqual([]);
  expect(alternatives('test/{a,b}.test.ts')).toEqual(['test/a.test.ts', 'test/b.test.ts']);
});

function alternatives(pattern: string): readonly string[] {
  const [whole, inside = ''] = /\{([^}]*)\}/.exec(pattern) ?? [];
  return whole === undefined ? [pattern] : inside.split(',').map(name => pattern.replace(whole, name));
}
