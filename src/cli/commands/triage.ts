import {Command} from 'commander';
import {SEVERITIES, type Severity, subjectInWords} from '../../domain/triage/finding.ts';
import {missingPermission, staleReadings} from '../../domain/triage/service-readings.ts';
import {
  alikeFindings,
  mutedWords,
  type Triage,
  unjudgedCount,
  unjudgedNames,
  unjudgedWords,
} from '../../domain/triage/triage.ts';
import {findingRecord} from '../../domain/triage/finding-record.ts';
import {FINDING_COLUMNS, groupRows} from '../../resources/findings.ts';
import {presentTriage, unjudgedMachines, unreadLists} from '../../state/triage.ts';
import {formatCounted} from '../../ui/format.ts';
import {type Account, openAccount} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, print} from '../command-io.ts';
import {dataListText, dataText} from '../print/data-text.ts';
import {CHECK_EXIT, EXIT} from '../../domain/exit-codes.ts';
import {isoText} from '../../domain/time.ts';
import {unreadActivity} from '../machine-activity.ts';
import {askedMetricsOption} from '../option-values.ts';
import {openProgress} from '../print/progress.ts';
import {addCommonOptions, type CommonFlags, codeOfRead, unknownCheck} from '../run-command.ts';
import {printedTable, tableWithLines} from '../print/table-text.ts';
import {
  codeOfUnread,
  missingPart,
  partlyRead,
  readForTriage,
  stoppedReading,
  triageInput,
  unreadLines,
  unreadWords,
} from '../triage-reading.ts';

type TriageFlags = CommonFlags & {readonly check?: boolean; readonly metrics?: number};

/** `skydeck triage`: what needs attention now, worst first. */
export const triageCommand: BuildCommand = (io, end) => {
  const command = new Command('triage')
    .addOption(askedMetricsOption())
    .option('--check', 'one line and an exit code for monitoring systems: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN');
  return addCommonOptions(command, ['table', 'json', 'ndjson', 'yaml']).action(async (flags: TriageFlags) =>
    end(await runTriage(io, flags)),
  );
};

async function runTriage(io: CommandIo, flags: TriageFlags): Promise<number> {
  const opened = await openAccount(io, flags);
  if (flags.check === true && flags.output !== 'table')
    return unknownCheck(io, '--check prints one line; it cannot be combined with --output');
  if (!opened.ok)
    return flags.check === true ? unknownCheck(io, opened.mistake) : failed(io, opened.mistake, EXIT.usage);
  const {account} = opened;
  const progress = openProgress(io, account.clock, 'reading the account');
  let unreadCount = 0;
  try {
    unreadCount = await readForTriage(account, {askedCount: flags.metrics, progress: progress.say});
  } finally {
    progress.end();
  }
  const found = presentTriage(triageInput(account));
  if (flags.check === true) return printCheck(io, account, found);
  for (const line of unreadLines(account)) complain(io, account.redact(line));
  if (unreadCount > 0) complain(io, unreadActivity(unreadCount, account));
  const unread = account.mutes.trouble();
  if (unread !== undefined) complain(io, unread);
  if (found.muted.length > 0) complain(io, mutedLine(found));
  await printFindings(io, account, found, flags);
  const code = codeOfUnread(account);
  return code === EXIT.done ? codeOfRead(io) : code;
}

/** Findings muted in the deck are not printed, but counted. */
function mutedLine({muted}: Triage): string {
  return `${formatCounted(muted.length, 'finding')} not printed: ${mutedWords(muted)}`;
}

const PRINTED = FINDING_COLUMNS.filter(({printed}) => printed === undefined);

async function printFindings(io: CommandIo, account: Account, found: Triage, {output}: TriageFlags): Promise<void> {
  if (output !== 'table') {
    const findings = found.findings.map(findingRecord);
    const unknown = found.unknown.map(({rule, reason}) => `${rule}: ${reason}`);
    const whole = {now: isoText(account.clock.wallNow()), findings, unknown};
    const options = {format: output, showsSecrets: true};
    return print(io, account.redact(output === 'ndjson' ? dataListText(findings, options) : dataText(whole, options)));
  }
  const now = account.clock.wallNow();
  const rows = alikeFindings(found.findings).flatMap(group => groupRows(group, false, now));
  const calm = found.unknown.length === 0 ? 'nothing needs attention' : 'no findings in what could be checked';
  const table = rows.length === 0 ? `${calm}\n` : await tableWithLines(io, ...printedTable(PRINTED, rows, ''));
  const unknown = unjudgedWords(found.unknown).map(words => `not checked: ${words}`);
  return print(io, account.redact([table, ...unknown.map(line => `${line}\n`)].join('')));
}

/** `8 checks not run (idle, growing memory, burn anomaly and 5 more)`; the table names all of them, with the reasons. */
function notRunWords(unknown: Triage['unknown']): string {
  const names = unjudgedNames(unknown);
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${formatCounted(names.length, 'check')} not run (${names.slice(0, NAMED).join(', ')}${more})`;
}

const CHECK_CODES: Readonly<Record<Severity, number>> = {
  notice: CHECK_EXIT.ok,
  warning: CHECK_EXIT.warning,
  critical: CHECK_EXIT.critical,
};
const CHECK_WORDS: Readonly<Record<Severity, string>> = {notice: 'OK', warning: 'WARNING', critical: 'CRITICAL'};
const NAMED = 3;

/** Findings about the reading: a key that lacks one permission would be a warning on every run. */
const ABOUT_READING: ReadonlySet<string> = new Set([staleReadings.id, missingPermission.id]);

/** One line: the verdict, the worst findings, and the counts as performance data. */
async function printCheck(io: CommandIo, account: Account, {findings: all, muted, unknown}: Triage): Promise<number> {
  const unread = unreadLists(account.session.store);
  const missing = missingPart(account);
  // That a list cannot be read is no finding about the account, and what was found in other lists holds without it.
  const findings = all.filter(({rule}) => !ABOUT_READING.has(rule));
  const isKnown = findings.some(({severity, subject}) => severity !== 'notice' && subject.type !== 'service');
  if (missing !== undefined && !isKnown) return unknownCheck(io, missing);
  const counts = SEVERITIES.map(severity => ({
    severity,
    count: findings.filter(finding => finding.severity === severity).length,
  }));
  const worst = counts.find(({severity, count}) => count > 0 && severity !== 'notice')?.severity ?? 'notice';
  const named = findings
    .filter(({severity}) => severity === worst && worst !== 'notice')
    .slice(0, NAMED)
    .map(({subject, summary}) => `${subjectInWords(subject)}: ${summary}`);
  const more = findings.filter(({severity}) => severity === worst).length - named.length;
  const words = counts.map(({severity, count}) => `${count} ${severity}`).join(', ');
  const details = worst === 'notice' ? [] : [...named, ...(more > 0 ? [`${more} more`] : [])];
  const perfdata = [
    ...counts.map(({severity, count}) => `${severity}=${count};;;0`),
    `not_judged=${unjudgedCount(unknown)};;;0`,
    `muted=${muted.length};;;0`,
  ].join(' ');
  const stopped = stoppedReading(account);
  const because = stopped === undefined ? '' : `: ${stopped}`;
  const blind = unknown.length === 0 ? [] : [`${notRunWords(unknown)}${because}`];
  const aside = muted.length === 0 ? [] : [`${muted.length} muted`];
  const absent = unread.map(list => `not read: ${unreadWords(list)}`);
  const partly = partlyRead(account);
  const gaps = [
    ...(partly.length === 0 ? [] : [`${formatCounted(partly.length, 'list')} not read completely`]),
    ...unjudgedMachines(account.session.store),
  ];
  const line = [`SKYDECK ${CHECK_WORDS[worst]} - ${words}`, ...details, ...aside, ...absent, ...gaps, ...blind].join(
    '; ',
  );
  await print(io, `${line.replaceAll('|', '/')} | ${perfdata}\n`);
  return CHECK_CODES[worst];
}
