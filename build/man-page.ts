// The manual page, made from the commands, the options and the keys as the program itself has them.
// man-page.mjs runs it.
import {writeFileSync} from 'node:fs';
import type {Command} from 'commander';
import {createCrashReporter} from '../src/app/crash-report.ts';
import {firstWays, globalBindings, paneBindings} from '../src/app/keymap.ts';
import {OPTIONS, type OptionRecord, OUTPUT_OPTION, VERSION} from '../src/config/options.ts';
import {COMMAND_GROUPS} from '../src/panes/command.ts';
import {openPanes} from '../src/panes/panes.ts';
import {commandIo, SUBCOMMANDS} from '../src/program.tsx';

const COMMON: readonly OptionRecord[] = [...Object.values(OPTIONS), OUTPUT_OPTION];

const EXIT_CODES = [
  [0, 'done'],
  [1, 'refused, or without effect'],
  [2, 'wrong usage'],
  [3, 'not authorised'],
  [4, 'not found'],
  [5, 'rate-limited'],
  [6, 'no usable answer, or provably not sent'],
  [7, 'outcome unknown: it may have happened, look before trying again'],
  [70, 'a mistake of skydeck itself; where it happened stands in crash.log in the state folder'],
] as const;

const FILES = [
  ['~/.config/skydeck', 'settings, profiles, themes and key files; SKYDECK_CONFIG_DIR or XDG_CONFIG_HOME move it'],
  [
    '~/.local/state/skydeck',
    'the journal of what was sent, saved screens, names for completion, caches, crash.log; XDG_STATE_HOME moves it',
  ],
] as const;

/** The whole page in the format of man(7). */
async function manPage(): Promise<string> {
  return [
    `.TH SKYDECK 1 "" "skydeck ${text(VERSION)}" "User Commands"`,
    '.SH NAME',
    'skydeck \\- a terminal deck for a GPU/CPU cloud',
    '.SH SYNOPSIS',
    '.B skydeck',
    '[options]',
    '.br',
    '.B skydeck',
    '.I command',
    '[arguments] [options]',
    '.SH DESCRIPTION',
    paragraph(
      'Without a command, skydeck opens the deck: one screen of machines, clusters, firewalls and money, where each ' +
        'action shows its cost and risk before anything is sent. Without an account it opens on a built-in ' +
        'simulator. Where standard output is not a terminal, it prints one overview and ends.',
    ),
    '.SH OPTIONS',
    'The deck and every command understand these.',
    ...COMMON.flatMap(option => item(optionTerm(option), meaningOf(option))),
    '.SH COMMANDS',
    ...(await commandSections()),
    '.SH KEYS',
    'The keys of the deck. A list inside it, opened with ?, says why a key does not apply now.',
    ...keySections(),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, meaning]) => item(String(code), meaning)),
    '.SH ENVIRONMENT',
    ...item('SKYDECK_API_KEY', 'the API key; it is never taken from an argument'),
    ...COMMON.flatMap(({variable, flag}) => (variable === undefined ? [] : item(variable, `the same as ${flag}`))),
    '.SH FILES',
    ...FILES.flatMap(([path, meaning]) => item(path, meaning)),
    '',
  ].join('\n');
}

async function commandSections(): Promise<readonly string[]> {
  const io = commandIo({opening: undefined, crash: createCrashReporter({}, [])});
  const sections: string[] = [];
  for (const {load} of Object.values(SUBCOMMANDS)) {
    const command = (await load())(io, () => {});
    sections.push(...commandSection(command.name(`skydeck ${command.name()}`)));
  }
  return sections;
}

function commandSection(command: Command): readonly string[] {
  const help = command.createHelp();
  const own = help
    .visibleOptions(command)
    .filter(({long}) => !COMMON.some(({flag}) => flag === long) && long !== '--help');
  return [
    `.SS ${quoted(help.commandUsage(command).replace(' [options] [command]', ' <command>'))}`,
    paragraph(help.commandDescription(command)),
    ...help.visibleArguments(command).flatMap(each => item(help.argumentTerm(each), help.argumentDescription(each))),
    ...own.flatMap(option => item(help.optionTerm(option), help.optionDescription(option))),
    ...moreHelp(command),
    ...command.commands.flatMap(commandSection),
  ];
}

/** What the command's help says below its options, as it stands. */
function moreHelp(command: Command): readonly string[] {
  let printed = '';
  command.configureOutput({writeOut: part => (printed += part)}).outputHelp();
  const more = printed.slice(command.helpInformation().length).trim();
  return more === '' ? [] : ['.PP', '.nf', ...more.split('\n').map(line), '.fi'];
}

function keySections(): readonly string[] {
  const panes = openPanes();
  const bindings = [
    ...globalBindings(panes).map(binding => ({...binding, where: 'everywhere'})),
    ...panes.flatMap(pane => firstWays(paneBindings(pane)).map(binding => ({...binding, where: `${pane.title}`}))),
  ];
  return COMMAND_GROUPS.flatMap(group => {
    const merged = new Map<string, {readonly keys: string; readonly help: string; readonly where: Set<string>}>();
    for (const {keysText, help, where} of bindings.filter(binding => binding.group === group)) {
      const known = merged.get(`${keysText} ${help}`);
      if (known === undefined) merged.set(`${keysText} ${help}`, {keys: keysText, help, where: new Set([where])});
      else known.where.add(where);
    }
    const entries = [...merged.values()].flatMap(({keys, help, where}) =>
      item(keys, `${help}${placeOf(where, panes)}`),
    );
    return entries.length === 0 ? [] : [`.SS ${quoted(group)}`, ...entries];
  });
}

function placeOf(where: ReadonlySet<string>, panes: readonly unknown[]): string {
  return where.has('everywhere') || where.size === panes.length ? '' : ` (${[...where].join(', ')})`;
}

function optionTerm({flag, short, value}: OptionRecord): string {
  const names = short === undefined ? flag : `${short}, ${flag}`;
  return value === undefined ? names : `${names} <${value}>`;
}

function meaningOf({meaning, variable}: OptionRecord): string {
  return variable === undefined ? meaning : `${meaning} (${variable})`;
}

function item(term: string, meaning: string): readonly string[] {
  return ['.TP', `\\fB${line(term)}\\fR`, line(meaning)];
}

function paragraph(words: string): string {
  return words.split('\n').map(line).join('\n');
}

/** A line that begins with a dot or an apostrophe would be an instruction. */
function line(words: string): string {
  return words === '' ? '.br' : text(words).replace(/^([.'])/, '\\&$1');
}

function quoted(words: string): string {
  return `"${text(words).replaceAll('"', '\\(dq')}"`;
}

/** A plain hyphen may be set as another sign, and then could not be copied into a shell. */
function text(words: string): string {
  return words.replaceAll('\\', '\\e').replaceAll('-', '\\-');
}

const [, , path = 'dist/skydeck.1'] = process.argv;
writeFileSync(path, await manPage());
