import {unreachable} from '../domain/assert.ts';
import {safeText, say} from '../domain/safe-text.ts';
import type {TerminalInput} from '../terminal/input.ts';
import {typedText} from '../terminal/keys.ts';
import {
  chooseByLetter,
  chooseNext,
  chooseWord,
  currentField,
  type FormState,
  moveField,
  adjustedForm,
  takeBackLetter,
  toField,
  toggleChoice,
  typeInField,
} from '../ui/form.ts';
import {type Picker, pickerChoices} from '../ui/picker.ts';
import {emptyInput, insert} from '../ui/text-input.ts';
import type {Notification} from './notifications.ts';
import {checkForm} from './overlay/check-form.ts';
import type {Deck} from './deck.ts';
import {editInput} from './edit-input.ts';
import {GLOBAL_COMMANDS, type GlobalCommand, goToMatch, isSearched, leave, notifyNoMatch} from './global-commands.ts';
import {helpLineCount} from './help.ts';
import {boundTo} from './keymap.ts';
import {openQuestion, type OpenForm, type Overlay} from './overlay/overlay.ts';
import {noMatchWords, paletteEntries} from './palette.ts';
import {pressSecret} from './overlay/one-time-secret.ts';
import type {Arrival} from './overlay/confirm.ts';
import {pressLeave, pressQuestion, pressSsh, pressUnlock, withdrawQuestion} from './overlay/press-question.ts';
import {runPaneCommand} from './run-pane-command.ts';
import {isTooSmall} from './small-screen.ts';
import {pressCalls, pressPlan} from './overlay/press-writes.ts';
import {KEYS} from '../actions/keys.ts';

/** What came from the terminal: keys, or a paste. */
export function takeInput(deck: Deck, input: TerminalInput): void {
  deck.withdrawOverdue();
  switch (input.kind) {
    case 'keys':
      return pressKeys(deck, input.names, input);
    case 'pasting':
      if (!withdrawQuestion(deck)) deck.notify(say`receiving a paste; ${KEYS.interrupt} cancels it`);
      return deck.changed();
    case 'paste':
      return pasteText(deck, input.text);
    default:
      return unreachable(input);
  }
}

/** Keys that arrived in one chunk, in order. Each acts on the result of the one before. */
export function pressKeys(deck: Deck, keys: readonly string[], arrival: Arrival = {isAlone: keys.length === 1}): void {
  const told = deck.notification();
  for (const key of keys) pressKey(deck, key, {...arrival, told});
  deck.changed();
}

/** Pasted text goes into an open input. It never runs a command, and it closes anything that asks for an answer. */
export function pasteText(deck: Deck, text: string): void {
  // The same paste may have closed a question; it was not meant for the form behind that.
  if (deck.dropsPaste()) return deck.changed();
  const overlay = deck.overlay();
  if (overlay?.kind === 'form' && overlay.picker !== undefined) {
    deck.setOverlay({...overlay, picker: {input: insert(overlay.picker.input, text), cursorIndex: 0}});
  } else if (overlay?.kind === 'form') {
    const typed = typeInField(overlay.state, input => insert(input, text));
    deck.setOverlay({...overlay, state: adjustedForm(typed, overlay.form.fieldsFor)});
  } else if (overlay !== undefined && overlay.kind !== 'question' && 'input' in overlay) {
    updateInput(deck, overlay, insert(overlay.input, text));
  } else if (!withdrawQuestion(deck)) {
    deck.notify(say`pasted text is ignored`);
  }
  deck.changed();
}

/** `told`: the message before the chunk. A warning about another key of the same chunk was not read yet. */
function pressKey(deck: Deck, key: string, {told, ...arrival}: Arrival & {told: Notification | undefined}): void {
  const everywhere = EVERYWHERE.get(key);
  if (everywhere !== undefined) return everywhere.run(deck);
  if (deck.dropsKey(key)) return;
  if (isTooSmall(deck.size())) return pressSmall(deck, key, arrival);
  deck.readMessage();
  const overlay = deck.overlay();
  if (overlay !== undefined) {
    pressOverlay(deck, overlay, key, arrival);
    return deck.forgetWarning(told);
  }
  // During a search n is the next match, as in a pager, and not the form for something new.
  if (key === 'n' && isSearched(deck.pane(), deck.scene())) return goToMatch(deck, 1);
  const run = boundTo(deck, key);
  if (run === undefined) deck.refuse(say`${safeText(key)}: no action here; ${KEYS.help} lists the keys`);
  else run();
}

/**
 * What is not shown takes no key: only quitting is possible, and the question before it is the only one drawn. Over a
 * one-time secret no key but ctrl-c quits, as where there is room for it.
 */
function pressSmall(deck: Deck, key: string, arrival: Arrival): void {
  const open = deck.overlay();
  if (open?.kind === 'leave') return pressLeave(deck, open, key, arrival);
  if (key === KEYS.quit && open?.kind !== 'secret') leave(deck);
}

/** The few keys that mean the same above every overlay. */
const EVERYWHERE = commandsOf([KEYS.interrupt, KEYS.suspend, 'ctrl-l']);
/** What may open over the progress box of a batch, which asks nothing; P shows it again. */
const OVER_PROGRESS = commandsOf([':', KEYS.help]);

function commandsOf(wanted: readonly string[]): ReadonlyMap<string, GlobalCommand> {
  const commands = GLOBAL_COMMANDS.filter(({keys}) => keys.some(key => wanted.includes(key)));
  return new Map(commands.flatMap(command => command.keys.map(key => [key, command] as const)));
}

function pressOverlay(deck: Deck, overlay: Overlay, key: string, arrival: Arrival): void {
  switch (overlay.kind) {
    case 'question':
      return pressQuestion(deck, overlay, key, arrival);
    case 'menu':
      return pressMenu(deck, overlay, key);
    case 'leave':
      return pressLeave(deck, overlay, key, arrival);
    case 'ssh':
      return pressSsh(deck, overlay, key, arrival);
    case 'filter':
    case 'search':
      return pressFilter(deck, overlay, key);
    case 'palette':
      return pressPalette(deck, overlay, key);
    case 'form':
      return pressForm(deck, overlay, key);
    case 'help':
      return pressHelp(deck, overlay, key);
    case 'gpus':
      return key === KEYS.back || key === KEYS.quit ? deck.setOverlay(undefined) : undefined;
    case 'unlock':
      return pressUnlock(deck, overlay, key, arrival);
    case 'calls':
      return pressCalls(deck, overlay, key);
    case 'plan':
      return pressProgress(deck, overlay, key);
    case 'secret':
      return pressSecret(deck, overlay, key);
    default:
      return unreachable(overlay);
  }
}

function pressProgress(deck: Deck, overlay: Extract<Overlay, {kind: 'plan'}>, key: string): void {
  const command = OVER_PROGRESS.get(key);
  if (command === undefined) return pressPlan(deck, overlay, key);
  command.run(deck);
}

function pressMenu(deck: Deck, overlay: Extract<Overlay, {kind: 'menu'}>, key: string): void {
  const menu = deck.pane().menus.find(({id}) => id === overlay.menuId);
  const offered = menu?.offered(deck.scene()) ?? [];
  const step = MENU_STEPS.get(key);
  if (step !== undefined) {
    const cursorIndex = Math.min(Math.max(0, overlay.cursorIndex + step), Math.max(0, offered.length - 1));
    return deck.setOverlay({...overlay, cursorIndex});
  }
  if (key === KEYS.back || key === KEYS.quit) return deck.setOverlay(undefined);
  const command = key === KEYS.open ? offered[overlay.cursorIndex] : offered.find(({keys}) => keys.includes(key));
  if (command !== undefined) {
    deck.setOverlay(undefined);
    return runPaneCommand(deck, command);
  }
  if (OVER_MENU.has(key)) return boundTo(deck, key)?.();
  // It stays open, so that the rest of what is being typed does nothing to the screen behind it.
  deck.notify(say`${safeText(key)}: no such key in this menu; ${KEYS.back} closes it`, 'warning');
}

/** A menu has no text that these could belong to. */
const OVER_MENU: ReadonlySet<string> = new Set([':', KEYS.help, '/']);

/** Letters come first: `j` may be a choice of the menu. */
const MENU_STEPS: ReadonlyMap<string, number> = new Map([
  ['up', -1],
  ['down', 1],
  ['shift-tab', -1],
  ['tab', 1],
]);

function pressFilter(deck: Deck, overlay: Extract<Overlay, {kind: 'filter' | 'search'}>, key: string): void {
  if (key === KEYS.open) {
    deck.setOverlay(undefined);
    if (overlay.kind === 'search') return notifyNoMatch(deck);
    // A filter with a mistake filters nothing, and the unfiltered list would look like its result.
    const mistake = deck.pane().filterMistake(overlay.input.text);
    if (mistake !== undefined) deck.notify(say`filter not applied: ${mistake}`, 'warning');
    return;
  }
  if (key === KEYS.back) {
    overlay.restore();
    return deck.setOverlay(undefined);
  }
  const input = editInput(overlay.input, key);
  if (input !== undefined) updateInput(deck, overlay, input);
}

function pressPalette(deck: Deck, overlay: Extract<Overlay, {kind: 'palette'}>, key: string): void {
  const entries = paletteEntries(deck, overlay.input.text);
  if (key === KEYS.back) return deck.setOverlay(undefined);
  if (key === 'up' || key === 'down' || key === 'tab') {
    const step = key === 'up' ? -1 : 1;
    const cursorIndex = Math.min(Math.max(0, overlay.cursorIndex + step), Math.max(0, entries.length - 1));
    return deck.setOverlay({...overlay, cursorIndex});
  }
  if (key === KEYS.open) {
    deck.setOverlay(undefined);
    const entry = entries[overlay.cursorIndex];
    if (entry !== undefined) return entry.run();
    return deck.notify(noMatchWords(deck, overlay.input.text), 'warning');
  }
  const input = editInput(overlay.input, key);
  if (input !== undefined) updateInput(deck, overlay, input);
}

function pressForm(deck: Deck, overlay: OpenForm, key: string): void {
  const {state, picker} = overlay;
  if (picker !== undefined) return pressPicker(deck, {...overlay, picker}, key);
  const show = (next: FormState) => deck.setOverlay({...overlay, state: adjustedForm(next, overlay.form.fieldsFor)});
  if (key === KEYS.back) return deck.setOverlay(undefined);
  if (key === 'tab' || key === 'down') return show(moveField(state, 1));
  if (key === 'shift-tab' || key === 'up') return show(moveField(state, -1));
  if (key === '/' && currentField(state)?.choices !== undefined)
    return deck.setOverlay({...overlay, picker: openPicker(state)});
  if (key === KEYS.open) return submitForm(deck, overlay);
  if (currentField(state)?.choices !== undefined) {
    if (key === 'space' && currentField(state)?.takesMany === true) return show(toggleChoice(state));
    if (key === 'left' || key === 'right' || key === 'space') return show(chooseNext(state, key === 'left' ? -1 : 1));
    if (key === 'backspace') return show(takeBackLetter(state));
    const letter = typedText(key);
    return letter === undefined ? undefined : show(chooseByLetter(state, letter));
  }
  show(typeInField(state, input => editInput(input, key) ?? input));
}

/** All choices, with the cursor on the one set in the form. */
function openPicker(state: FormState): Picker {
  const field = currentField(state);
  const present = field?.choices?.indexOf(state.inputs[field.key]?.text ?? '') ?? 0;
  return {input: emptyInput, cursorIndex: Math.max(0, present)};
}

function pressPicker(deck: Deck, overlay: OpenForm & {readonly picker: Picker}, key: string): void {
  const {picker, state, form} = overlay;
  const field = currentField(state);
  const choices = field === undefined ? [] : pickerChoices(field, picker.input.text);
  if (key === KEYS.back) return deck.setOverlay({...overlay, picker: undefined});
  if (key === KEYS.open) {
    const choice = choices[picker.cursorIndex];
    if (choice === undefined) return deck.refuse(say`no match; backspace edits the text`, 'warning');
    const chosen = adjustedForm(chooseWord(state, choice), form.fieldsFor);
    // In a field that takes several, another may be added; after the last field the form starts over.
    const goesOn = field?.takesMany !== true && chosen.fieldIndex < chosen.fields.length - 1;
    return deck.setOverlay({...overlay, picker: undefined, state: goesOn ? moveField(chosen, 1) : chosen});
  }
  const step = PICKER_STEPS.get(key);
  if (step !== undefined) {
    const cursorIndex = Math.min(Math.max(0, picker.cursorIndex + step), Math.max(0, choices.length - 1));
    return deck.setOverlay({...overlay, picker: {...picker, cursorIndex}});
  }
  const input = editInput(picker.input, key);
  if (input !== undefined) deck.setOverlay({...overlay, picker: {input, cursorIndex: 0}});
}

const PICKER_PAGE = 10;
const PICKER_STEPS: ReadonlyMap<string, number> = new Map([
  ['up', -1],
  ['down', 1],
  ['shift-tab', -1],
  ['tab', 1],
  ['pageup', -PICKER_PAGE],
  ['pagedown', PICKER_PAGE],
]);

/** A form with a mistake moves to the field that has it; a complete form leads to its question. */
function submitForm(deck: Deck, overlay: OpenForm): void {
  const {mistakes, question} = checkForm(overlay.form, overlay.state);
  if (question !== undefined) return deck.setOverlay({...openQuestion(question, deck.now()), form: overlay});
  const [field] = Object.keys(mistakes);
  if (field !== undefined) deck.setOverlay({...overlay, state: toField(overlay.state, field)});
}

function pressHelp(deck: Deck, overlay: Extract<Overlay, {kind: 'help'}>, key: string): void {
  if (key === KEYS.back || key === KEYS.open) return deck.setOverlay(undefined);
  const page = Math.max(1, deck.scene().size.rows - 4);
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    'ctrl-b': -page,
    'ctrl-f': page,
  };
  const step = steps[key];
  if (step !== undefined) {
    const last = Math.max(0, helpLineCount(deck, overlay.input.text) - page);
    return deck.setOverlay({...overlay, offset: Math.min(Math.max(0, overlay.offset + step), last)});
  }
  const input = editInput(overlay.input, key);
  if (input !== undefined) updateInput(deck, overlay, input);
}

function updateInput(
  deck: Deck,
  overlay: Extract<Overlay, {kind: 'filter' | 'search' | 'palette' | 'help'}>,
  input: Extract<Overlay, {kind: 'filter'}>['input'],
): void {
  switch (overlay.kind) {
    case 'filter':
      deck.pane().setFilterText(input.text);
      return deck.setOverlay({...overlay, input});
    case 'search':
      overlay.restore();
      deck.pane().search(deck.scene())?.find(input.text);
      return deck.setOverlay({...overlay, input});
    case 'palette':
      return deck.setOverlay({...overlay, input, cursorIndex: 0});
    case 'help':
      return deck.setOverlay({...overlay, input, offset: 0});
    default:
      return unreachable(overlay);
  }
}
