import type {SafeText} from '../domain/safe-text.ts';
import {isTransitional, type MachineStatus} from '../domain/virtual-machine.ts';
import {alikeFindings} from '../domain/triage/triage.ts';
import type {Scene} from '../panes/pane.ts';
import {severitySpan} from '../resources/findings.ts';
import {observedMachines} from '../state/machines.ts';
import {lastTriage} from '../state/triage.ts';
import {formatCounted} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {wrapLine} from '../ui/wrap.ts';
import type {TerminalSize} from './deck.ts';
import {type Connection, headerLine} from './header.ts';
import {leavingWords} from './leaving.ts';
import {NOT_ARMED} from './overlay/confirm.ts';
import type {Outstanding, WriteMode} from './writes.ts';
import {KEYS} from '../actions/keys.ts';

const MIN_SIZE: TerminalSize = {columns: 60, rows: 16};

/** Below this size a question cannot show its whole text, so no action is possible; what matters is still shown. */
export function isTooSmall({columns, rows}: TerminalSize): boolean {
  return columns < MIN_SIZE.columns || rows < MIN_SIZE.rows;
}

/** What is open and matters here too. */
type OpenInSmall = {
  /** The question before quitting: what that would end, and whether it takes keys yet. */
  readonly leaving?: {readonly outstanding: Outstanding; readonly isReady: boolean} | undefined;
  /** A one-time secret, which quitting would lose. */
  readonly secretTitle?: SafeText | undefined;
  /** What any other question asks: it is not over, though it takes no answer here. */
  readonly askedTitle?: SafeText | undefined;
};

/**
 * The one-line mode: the header, what a larger terminal would offer, or the question before quitting, the state of the
 * machines, and in the rows that are left the worst findings.
 */
export function smallLines(
  scene: Scene,
  connection: Connection,
  mode: WriteMode,
  {columns, rows}: TerminalSize,
  {leaving, secretTitle, askedTitle}: OpenInSmall = {},
): readonly Line[] {
  const needed = `the deck needs ${MIN_SIZE.columns}×${MIN_SIZE.rows}`;
  const why =
    secretTitle !== undefined
      ? `${secretTitle} is open, ${needed} to show it; ${KEYS.interrupt} twice quits without it`
      : askedTitle !== undefined
        ? `${askedTitle}: a question is open, ${needed} to show it; ${KEYS.quit} quits`
        : `terminal too small: ${needed}; ${KEYS.quit} quits`;
  const top = leaving === undefined ? why : leavingText(leaving);
  const lines = [[{text: top, tone: 'warning' as const}], [{text: machinesText(scene)}]].flatMap(line =>
    wrapLine(line, Math.max(1, columns - 1)).map((part): Line => [{text: ' '}, ...part]),
  );
  return [headerLine(scene, connection, mode, columns), ...lines, ...findingLines(scene)].slice(0, rows);
}

/** The last findings, worst first, each in a line that the screen cuts. */
function findingLines({store}: Scene): readonly Line[] {
  const found = lastTriage(store);
  if (found === undefined || found.findings.length === 0) return [];
  return [
    [{text: ` ${formatCounted(found.findings.length, 'finding')}`}],
    ...alikeFindings(found.findings).map(
      ({severity, summary, where}): Line => [
        {text: ' '},
        severitySpan(severity),
        {text: ` ${summary}: `},
        {text: where, tone: 'strong', isName: true},
      ],
    ),
  ];
}

function leavingText({outstanding, isReady}: NonNullable<OpenInSmall['leaving']>): string {
  const keys = isReady ? `${KEYS.confirm} quits; other keys cancel` : NOT_ARMED;
  return `quit? ${leavingWords(outstanding) ?? 'nothing is under way any more'}; ${keys}`;
}

function machinesText(scene: Scene): string {
  const machines = observedMachines(scene.store);
  if (machines === undefined) return 'machines unknown';
  const count = (isCounted: (status: MachineStatus) => boolean) =>
    machines.filter(({status}) => isCounted(status)).length;
  const {states} = scene.theme.glyphs;
  return [
    `${machines.length} machines`,
    `${states.active}${count(status => status === 'ACTIVE')}`,
    `${states.shutoff}${count(status => status === 'SHUTOFF')}`,
    `${states.hibernated}${count(status => status === 'HIBERNATED')}`,
    `${states.transitional}${count(isTransitional)}`,
    `${states.error}${count(status => status === 'ERROR')}`,
  ].join('  ');
}
