import type {ReactNode} from 'react';
import {KEYS} from '../../actions/keys.ts';
import {shellLine} from '../../actions/shell-line.ts';
import {unreachable} from '../../domain/assert.ts';
import type {MonotonicMs} from '../../domain/time.ts';
import type {BoundCommand, Scene} from '../../panes/pane.ts';
import {Dialog, type DialogProps} from '../../ui/dialog.tsx';
import {currentField, formLines, isToFillIn, linesAround, noteCells} from '../../ui/form.ts';
import type {FormField} from '../../ui/form-field.ts';
import {PICKER_HEAD_ROWS, type Picker, pickerLines} from '../../ui/picker.ts';
import {fitLine, type Line, lineWidth, padEnd, widthOf} from '../../ui/text.ts';
import {inputLine} from '../../ui/text-input.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {checkForm, enterLabel} from './check-form.ts';
import {isArmed, NOT_ARMED, wayOut} from './confirm.ts';
import type {Shown, TerminalSize} from '../deck.ts';
import {GpuBox} from './gpu-box.tsx';
import {leavingWords} from '../leaving.ts';
import {BOX_KEYS, type Overlay} from './overlay.ts';
import {OverlayFrame} from './overlay-frame.tsx';
import {boxMessage} from '../status-bar.ts';
import {paletteLines} from '../palette.ts';
import {QuestionBox} from './question-box.tsx';
import {OneTimeSecretBox} from './one-time-secret-box.tsx';
import {CallsBox, PlanBox, UnlockBox} from './write-boxes.tsx';

type Props<Kind extends Overlay['kind']> = {
  readonly overlay: Extract<Overlay, {kind: Kind}>;
  readonly shown: Shown;
};

/** What lies over the pane. The filter has no box: it is typed into the message line. */
export function OverlayBox({overlay, shown}: {readonly overlay: Overlay; readonly shown: Shown}): ReactNode {
  const {scene, size, mode} = shown;
  const message = boxMessage(shown);
  switch (overlay.kind) {
    case 'help':
      return <HelpBox overlay={overlay} shown={shown} />;
    case 'palette':
      return <PaletteBox overlay={overlay} shown={shown} />;
    case 'menu':
      return <MenuBox overlay={overlay} shown={shown} />;
    case 'question':
      return <QuestionBox open={overlay} scene={scene} size={size} isDryRun={mode.isDryRun} message={message} />;
    case 'form':
      return <FormBox overlay={overlay} shown={shown} />;
    case 'leave':
      return <LeaveBox overlay={overlay} shown={shown} />;
    case 'ssh':
      return <SshBox overlay={overlay} shown={shown} />;
    case 'gpus':
      return <GpuBox watch={overlay.watch} scene={scene} size={size} />;
    case 'unlock':
      return <UnlockBox overlay={overlay} scene={scene} size={size} message={message} />;
    case 'calls':
      return <CallsBox overlay={overlay} scene={scene} size={size} message={message} />;
    case 'plan':
      return <PlanBox overlay={overlay} scene={scene} size={size} />;
    case 'secret':
      return <OneTimeSecretBox open={overlay} scene={scene} size={size} />;
    case 'filter':
    case 'search':
      return undefined;
    default:
      return unreachable(overlay);
  }
}

function HelpBox({overlay, shown: {scene, boxContent}}: Props<'help'>): ReactNode {
  if (boxContent?.kind !== 'help') return undefined;
  const {columns, rows} = scene.size;
  return (
    <OverlayFrame
      title={[{text: 'keys  /', tone: 'title'}, ...inputLine(overlay.input, Math.min(30, columns - 20))]}
      right="esc = close"
      lines={boxContent.lines.slice(overlay.offset)}
      height={rows}
      scene={scene}
    />
  );
}

function PaletteBox({overlay, shown: {scene, boxContent}}: Props<'palette'>): ReactNode {
  if (boxContent?.kind !== 'palette') return undefined;
  const {columns, rows} = scene.size;
  const lines = paletteLines(boxContent.entries, overlay.cursorIndex, boxContent.meant);
  return (
    <OverlayFrame
      title={[{text: ':', tone: 'title'}, ...inputLine(overlay.input, Math.min(40, columns - 10))]}
      right="esc = close"
      lines={lines}
      height={Math.min(rows, lines.length + 2)}
      scene={scene}
    />
  );
}

/** Each key of the menu with its consequence, or why it is disabled. */
function MenuBox({overlay, shown: {scene, size, pane}}: Props<'menu'>): ReactNode {
  const {columns, rows} = size;
  const menu = pane.menus.find(({id}) => id === overlay.menuId);
  if (menu === undefined) return undefined;
  // The title column is as wide as the longest title, leaving the rest to the reasons.
  const commands = menu.offered(scene);
  const titleCells = Math.max(...commands.map(({title}) => widthOf(title))) + 2;
  const width = columns - MENU_EDGE_CELLS;
  const repeated = repeatedReason(commands, scene, width - MENU_KEY_CELLS - titleCells);
  const above: readonly Line[] = repeated === undefined ? [] : wrapLine([{text: repeated, tone: 'warning'}], width);
  const lines = commands.map((command, index) =>
    menuLine(command, scene, {titleCells, isUnderCursor: index === overlay.cursorIndex, repeated}),
  );
  return (
    <Dialog
      title={menu.title(scene)}
      right="esc = close"
      lines={[
        ...above,
        ...inColumns(lines, overlay.cursorIndex, {
          columns: width,
          rows: rows - AROUND_MENU_ROWS - above.length,
          ellipsis: scene.theme.glyphs.ellipsis,
        }),
      ]}
      columns={columns}
      rows={rows}
      theme={scene.theme}
      maxWidth={columns}
    />
  );
}

const FORM_COLUMNS = 96;
/** Edges, keys and the blank lines before them. */
const FORM_FRAME_ROWS = 5;
const MIN_FIELD_ROWS = 6;
const MISTAKE_MARK_CELLS = 2;

/** The fields with their errors, and the notes below. */
function FormBox({overlay, shown}: Props<'form'>): ReactNode {
  const {scene, size} = shown;
  const {columns, rows} = size;
  const message = boxMessage(shown);
  const {form, state, picker} = overlay;
  const open = currentField(state);
  if (picker !== undefined && open !== undefined) {
    return (
      <PickerBox
        size={size}
        title={`${form.title}: ${open.label}`}
        field={open}
        picker={picker}
        scene={scene}
        message={message}
      />
    );
  }
  const checked = checkForm(form, state);
  const {mistakes, notes} = checked;
  const width = Math.min(columns, FORM_COLUMNS);
  const fields = formLines(state, {mistakes, width: width - 4, glyphs: scene.theme.glyphs});
  // Behind its field an error or hint may be cut; that of the current field is shown in full.
  const field = currentField(state);
  const room = noteCells(width - 4);
  const found = mistakes[field?.key ?? ''];
  const mistake = widthOf(found ?? '') + MISTAKE_MARK_CELLS > room ? found : undefined;
  const hint = found === undefined && widthOf(field?.hint ?? '') > room ? field?.hint : undefined;
  const whole: readonly Line[] =
    mistake !== undefined
      ? [[{text: mistake, tone: isToFillIn(state, field?.key ?? '') ? 'dim' : 'danger'}]]
      : hint === undefined
        ? []
        : [[{text: hint, tone: 'dim'}]];
  const messages = [...whole, ...notes];
  const folded = messages
    .flatMap(line => wrapLine(line, width - 4))
    .slice(0, Math.max(1, rows - FORM_FRAME_ROWS - MIN_FIELD_ROWS));
  const height = Math.max(MIN_FIELD_ROWS, rows - FORM_FRAME_ROWS - folded.length);
  const visibleFields = linesAround(fields, state.fieldIndex, {height, what: 'field'});
  return (
    <Dialog
      title={form.title}
      right="esc = cancel"
      lines={[...visibleFields, [], ...folded]}
      choices={[
        {key: KEYS.open, label: enterLabel(checked, state), tone: 'strong'},
        {key: KEYS.nextPart, label: 'next field'},
        ...(field?.choices === undefined ? [] : [{key: '/', label: 'list'}]),
      ]}
      message={message}
      columns={columns}
      rows={rows}
      theme={scene.theme}
      maxWidth={width}
    />
  );
}

const PICKER_FRAME_ROWS = 5;
const MAX_PICKER_ROWS = 24;

/** The choices of one field of a form, with what helps to decide. */
function PickerBox({
  size,
  title,
  field,
  picker,
  scene,
  message,
}: {
  readonly size: TerminalSize;
  readonly title: string;
  readonly field: FormField;
  readonly picker: Picker;
  readonly scene: Scene;
  readonly message: DialogProps['message'];
}): ReactNode {
  const {columns, rows} = size;
  const width = Math.min(columns, FORM_COLUMNS);
  const height = Math.min(rows - PICKER_FRAME_ROWS, MAX_PICKER_ROWS, (field.choices?.length ?? 0) + PICKER_HEAD_ROWS);
  return (
    <Dialog
      title={title}
      right="esc = back"
      lines={pickerLines(field, picker, {width: width - 4, height, theme: scene.theme})}
      choices={BOX_KEYS.picker}
      message={message}
      columns={columns}
      rows={rows}
      theme={scene.theme}
      maxWidth={width}
    />
  );
}

/** Header and tabs, message and keys stay visible around a menu, which has two edges of its own. */
const AROUND_MENU_ROWS = 6;

/** Its edges, each with a margin. */
const MENU_EDGE_CELLS = 4;
const COLUMN_GAP = '  ';

type MenuRoom = {readonly columns: number; readonly rows: number; readonly ellipsis: string};

/**
 * A list too long for the screen continues in further columns, each read from top to bottom. If that would cut more
 * than one line, it is one column around the cursor. A line under the cursor that is cut stands in full below.
 */
function inColumns(lines: readonly Line[], cursorIndex: number, {columns, rows, ellipsis}: MenuRoom): readonly Line[] {
  if (lines.length <= rows || rows < 1) return withWholeLine(lines, cursorIndex, {columns, rows});
  const columnCount = Math.ceil(lines.length / rows);
  const height = Math.ceil(lines.length / columnCount);
  const longest = Math.max(...lines.map(lineWidth));
  const cells = Math.min(longest, Math.floor(columns / columnCount) - COLUMN_GAP.length);
  const isSideBySide = lines.filter(line => lineWidth(line) > cells).length <= 1;
  const underCursor = lines[cursorIndex] ?? [];
  const [, ...whole] = underCursor;
  const below = lineWidth(underCursor) > (isSideBySide ? cells : columns) ? [[], ...wrapLine(whole, columns)] : [];
  if (!isSideBySide) {
    return [...linesAround(lines, cursorIndex, {height: rows - below.length, what: 'action'}), ...below];
  }
  const shown = lines
    .slice(0, height)
    .map((_, row) =>
      lines
        .filter((_line, index) => index % height === row)
        .flatMap((line): Line => [...fitLine(line, cells, {ellipsis}), {text: COLUMN_GAP}]),
    );
  return height + below.length > rows ? shown : [...shown, ...below];
}

/** The line under the cursor in full below the list, if it is cut and there is room; nothing jumps as it moves. */
function withWholeLine(
  lines: readonly Line[],
  cursorIndex: number,
  {columns, rows}: {readonly columns: number; readonly rows: number},
): readonly Line[] {
  const wholes = lines.map(([, ...whole]) =>
    lineWidth(whole) + MENU_MARK_CELLS > columns ? wrapLine(whole, columns) : [],
  );
  const height = Math.max(0, ...wholes.map(({length}) => length));
  if (height === 0 || lines.length + 1 + height > rows) return lines;
  return [...lines, [], ...Array.from({length: height}, (_, index): Line => wholes[cursorIndex]?.[index] ?? [])];
}

/** The first reason with no room beside its action that stands beside several: it is said once, in full. */
function repeatedReason(commands: readonly BoundCommand[], scene: Scene, room: number): string | undefined {
  const cut = commands.flatMap(command => {
    const reason = command.disabledReason(scene);
    return reason !== undefined && widthOf(`off: ${reason}`) > room ? [reason] : [];
  });
  return cut.find((reason, index) => cut.indexOf(reason) !== index);
}

const MENU_MARK_CELLS = 2;
/** The cursor's mark, the key and a blank. */
const MENU_KEY_CELLS = MENU_MARK_CELLS + 4;

function menuLine(
  command: BoundCommand,
  scene: Scene,
  {
    titleCells,
    isUnderCursor,
    repeated,
  }: {readonly titleCells: number; readonly isUnderCursor: boolean; readonly repeated: string | undefined},
): Line {
  const reason = command.disabledReason(scene);
  const isOff = reason !== undefined;
  const offWords = reason === repeated ? 'off' : `off: ${reason}`;
  return [
    {text: isUnderCursor ? `${scene.theme.glyphs.cursor} ` : '  ', tone: 'focus'},
    {text: `${padEnd(command.keys.join(' '), 3)} `, tone: isOff ? 'dim' : 'key'},
    ...fitLine([{text: command.title, tone: isOff ? 'dim' : 'strong'}], titleCells),
    {text: isOff ? offWords : (command.consequence(scene) ?? ''), tone: 'dim'},
  ];
}

const LEAVE_COLUMNS = 72;
const UNWATCHED = 'The next start goes on watching what is under way.';

function LeaveBox({overlay, shown}: Props<'leave'>): ReactNode {
  const {scene, size, boxContent} = shown;
  if (boxContent?.kind !== 'leave') return undefined;
  const {outstanding} = boxContent;
  const words = `${leavingWords(outstanding) ?? 'Nothing is under way any more'}.`;
  const width = Math.min(size.columns, LEAVE_COLUMNS) - 4;
  const isLoss = outstanding.unsent.length + outstanding.secret.length > 0;
  return (
    <Dialog
      title="quit?"
      right={wayOut(overlay, scene.monotonicNow, 'esc = stay')}
      lines={[
        ...wrapLine([{text: words, ...(isLoss ? {tone: 'warning'} : {})}], width),
        ...(outstanding.sent.length > 0 ? wrapLine([{text: UNWATCHED}], width) : []),
        [],
        readyLine(overlay, scene, 'y quits; other keys cancel'),
      ]}
      choices={BOX_KEYS.leave}
      message={boxMessage(shown)}
      {...size}
      theme={scene.theme}
    />
  );
}

/** What will run on the terminal in place of the deck. */
function SshBox({overlay, shown}: Props<'ssh'>): ReactNode {
  const {scene, size} = shown;
  const width = Math.min(size.columns, FORM_COLUMNS) - 4;
  return (
    <Dialog
      title={`ssh to ${overlay.name}?`}
      right={wayOut(overlay, scene.monotonicNow, 'esc = no')}
      lines={[
        ...wrapLine([{text: shellLine(overlay.words), tone: 'strong'}], width),
        [],
        ...wrapLine([{text: SSH_WORDS[overlay.shows]}], width),
        ...overlay.warnings.flatMap(text => wrapLine([{text, tone: 'warning'}], width)),
        readyLine(overlay, scene, 'y runs it; other keys cancel'),
      ]}
      choices={BOX_KEYS.ssh}
      message={boxMessage(shown)}
      {...size}
      theme={scene.theme}
      maxWidth={FORM_COLUMNS}
    />
  );
}

const SSH_WORDS: Readonly<Record<Extract<Overlay, {kind: 'ssh'}>['shows'], string>> = {
  terminal: 'ssh takes over the terminal; the deck returns when it ends.',
  gpus: 'ssh reads the GPUs of the machine every 5 s until the box is closed, 10 minutes at most. It asks for no password.',
};

/** How to answer yes, as soon as an answer is accepted. */
function readyLine(open: {readonly shownAt: MonotonicMs}, {monotonicNow}: Scene, yes: string): Line {
  return [{text: isArmed(open, monotonicNow) ? yes : NOT_ARMED, tone: 'dim'}];
}
