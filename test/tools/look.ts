// A look at the deck without a terminal at hand: presses keys and leaves a picture.
//   node test/tools/look.ts --size 120x35 --keys 'j j enter' --out deck.png [--scenario on-call | --embedded] [-- program arguments]
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {setTimeout as pause} from 'node:timers/promises';
import {parseArgs} from 'node:util';
import {type Connection, createHome, launchOnTerminal, projectRoot} from '../support/launch.ts';
import type {RealTerminal} from '../support/terminal.ts';
import {screenToSvg, svgToPng} from './picture.ts';

const USAGE = `usage: node test/tools/look.ts [--size 120x35] [--keys 'j j enter wait:2000'] [--out deck.png]
         [--scenario on-call] [--fault SPEC …] [--embedded] [--title TEXT] [--zoom 1] [--as-built] [--program FILE] [-- program arguments]
keys are names (enter esc tab shift-tab up pagedown ctrl-c alt-x space …), characters, or wait:MILLISECONDS`;

/** The screen counts as settled when nothing was written for this long. */
const QUIET_MS = 400;
/** A screen that never settles is looked at all the same. */
const RESTLESS_MS = 8000;

await look(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function look(given: readonly string[]): Promise<void> {
  const wish = readWish(given);
  if (wish.isBuilt) execFileSync(process.execPath, ['build.mjs'], {cwd: projectRoot, stdio: 'inherit'});
  const cloud = wish.isEmbedded ? undefined : await openCloud(wish);
  const home = createHome();
  const terminal = launchOnTerminal({...wish, home, connection: cloud?.connection});
  try {
    await terminal.sees(/\S/);
    await settled(terminal);
    for (const key of wish.keys) await pressAndSettle(terminal, key);
    console.log(terminal.text());
    if (wish.out !== undefined) {
      const svg = screenToSvg(terminal.emulator, wish.title === undefined ? {} : {title: wish.title});
      writeFileSync(wish.out, wish.out.endsWith('.svg') ? svg : svgToPng(svg, {zoom: wish.zoom}));
    }
  } finally {
    await terminal.close();
    home.remove();
    await cloud?.close();
  }
}

type Wish = {
  readonly columns: number;
  readonly rows: number;
  readonly keys: readonly string[];
  readonly out: string | undefined;
  readonly scenario: string;
  readonly faults: readonly string[];
  readonly isEmbedded: boolean;
  readonly isBuilt: boolean;
  readonly title: string | undefined;
  readonly zoom: number;
  readonly program: string | undefined;
  readonly arguments: readonly string[];
};

function readWish(given: readonly string[]): Wish {
  const {values, positionals} = parse(given);
  const [columns = 0, rows = 0] = values.size.split('x').map(Number);
  const zoom = Number(values.zoom);
  if (!(columns > 0 && rows > 0 && zoom > 0)) throw new Error(USAGE);
  return {
    columns,
    rows,
    keys: values.keys.split(/\s+/).filter(key => key !== ''),
    out: values.out,
    scenario: values.scenario,
    faults: values.fault,
    isEmbedded: values.embedded,
    isBuilt: !values['as-built'] && values.program === undefined,
    title: values.title,
    zoom,
    program: values.program,
    arguments: positionals,
  };
}

function parse(given: readonly string[]) {
  try {
    return parseArgs({
      args: [...given],
      allowPositionals: true,
      options: {
        size: {type: 'string', default: '120x35'},
        keys: {type: 'string', default: ''},
        out: {type: 'string'},
        scenario: {type: 'string', default: 'on-call'},
        fault: {type: 'string', multiple: true, default: []},
        embedded: {type: 'boolean', default: false},
        title: {type: 'string'},
        zoom: {type: 'string', default: '1'},
        'as-built': {type: 'boolean', default: false},
        program: {type: 'string'},
      },
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

async function openCloud({scenario, faults}: Wish): Promise<{connection: Connection; close: () => Promise<void>}> {
  const {startSimulator} = await import('../../src/simulator/http/server.ts');
  const simulator = await startSimulator({scenario, faults});
  return {connection: simulator, close: async () => simulator.close()};
}

async function pressAndSettle(terminal: RealTerminal, key: string): Promise<void> {
  const waitMs = /^wait:(\d+)$/.exec(key)?.[1];
  if (waitMs === undefined) await terminal.press(key);
  else await pause(Number(waitMs));
  await settled(terminal);
}

async function settled({emulator}: RealTerminal): Promise<void> {
  const quiet = Promise.withResolvers<void>();
  let calm = setTimeout(quiet.resolve, QUIET_MS);
  const restless = setTimeout(quiet.resolve, RESTLESS_MS);
  const written = emulator.onWriteParsed(() => {
    clearTimeout(calm);
    calm = setTimeout(quiet.resolve, QUIET_MS);
  });
  await quiet.promise;
  clearTimeout(calm);
  clearTimeout(restless);
  written.dispose();
}
