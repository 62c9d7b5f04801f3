import type {SeededBug} from './bugs.ts';

const CONFIRM = 'src/app/overlay/confirm.ts';
const PRESS = 'src/app/overlay/press-question.ts';
const INPUT = 'src/terminal/input.ts';
const INPUT_TESTS = ['test/terminal/input.test.ts'];
const CONFIRM_TESTS = ['test/app/overlay/confirm.test.ts', 'test/app/dispatch.test.ts'];

/** Mistakes in what counts as a person's yes. */
export const CONFIRM_BUGS: readonly SeededBug[] = [
  {
    name: 'a question is armed at once',
    path: CONFIRM,
    from: 'ARMING_DELAY_MS: DurationMs = 400',
    to: 'ARMING_DELAY_MS: DurationMs = 0',
    tests: CONFIRM_TESTS,
  },
  {
    name: 'a y right behind another key is a yes',
    path: CONFIRM,
    from: 'SETTLE_MS: DurationMs = 150',
    to: 'SETTLE_MS: DurationMs = 0',
    tests: CONFIRM_TESTS,
  },
  {
    name: 'Enter answers a question that wants y',
    path: CONFIRM,
    from: 'return pressed.key === answerKey(open) &&',
    to: "return (pressed.key === answerKey(open) || pressed.key === 'enter') &&",
    tests: CONFIRM_TESTS,
  },
  {
    name: 'an answer that came too early may be given again at once',
    path: CONFIRM,
    from: 'shownAt: monotonicMs(at + REPEAT_DELAY_MS - ARMING_DELAY_MS)',
    to: 'shownAt: open.shownAt',
    tests: CONFIRM_TESTS,
  },
  {
    name: 'yes is the default',
    path: CONFIRM,
    from: 'return pressed.key === answerKey(open) &&',
    to: "return pressed.key !== 'n' && pressed.key !== 'esc' &&",
    tests: CONFIRM_TESTS,
  },
  {
    name: 'y answers a question that wants a name',
    path: CONFIRM,
    from: "question.answer.kind === 'key' ? KEYS.confirm : KEYS.open",
    to: 'KEYS.confirm',
    tests: CONFIRM_TESTS,
  },
  {
    name: 'part of the name is enough',
    path: CONFIRM,
    from: 'open.input.text === answer.expected',
    to: 'answer.expected.startsWith(open.input.text)',
    tests: CONFIRM_TESTS,
  },
  {
    name: 'a y among other keys is a yes',
    path: CONFIRM,
    from: 'if (!isAlone) return',
    to: 'if (at < 0) return',
    tests: CONFIRM_TESTS,
  },
  {
    name: 'what cannot be read whole can be agreed to',
    path: CONFIRM,
    from: 'if (!pressed.isWhollyRead) return',
    to: 'if (pressed.at < 0) return',
    tests: CONFIRM_TESTS,
  },
  {
    name: 'a pasted y is a yes',
    path: 'src/app/dispatch.ts',
    from: '  const overlay = deck.overlay();\n  if (overlay?.kind ===',
    to: "  const overlay = deck.overlay();\n  if (overlay?.kind === 'question') return pressKeys(deck, [text]);\n  if (overlay?.kind ===",
    tests: CONFIRM_TESTS,
  },
  {
    name: 'a paste leaves a question open',
    path: PRESS,
    from: '  deck.withdrawOverlay();\n  return true;',
    to: '  return true;',
    tests: CONFIRM_TESTS,
  },
  {
    name: 'a y with an arrow behind it counts as alone',
    path: INPUT,
    from: 'isAlone = text.length === 1 &&',
    to: 'isAlone = names.length === 1 &&',
    tests: INPUT_TESTS,
  },
  {
    name: 'what stands behind a paste in one piece is pressed',
    path: INPUT,
    from: '    this.#isTooLong = false;\n  }\n\n  #readKeys',
    to: '    this.#isTooLong = false;\n    if (!isNext) this.#readKeys(rest);\n  }\n\n  #readKeys',
    tests: INPUT_TESTS,
  },
  {
    name: 'a key close behind a paste counts as alone',
    path: INPUT,
    from: ' && !isNearPaste',
    to: '',
    tests: INPUT_TESTS,
  },
  {
    name: 'the marker of a paste that comes in two pieces is not known',
    path: INPUT,
    from: 'const seen = this.#recent + chunk;',
    to: 'const seen = chunk;',
    tests: INPUT_TESTS,
  },
  {
    name: 'a question that could not be seen is armed all the same',
    path: 'src/app/overlay/open-overlay.ts',
    from: '{...overlay, shownAt, reading: READING_START} : {...overlay, shownAt};',
    to: '{...overlay, reading: READING_START} : overlay;',
    tests: ['test/app/dispatch.test.ts'],
  },
  {
    name: 'keys that came together turn over pages that nobody saw',
    path: PRESS,
    from: 'turned.seenPages > open.reading.seenPages && !isArmed(open, at)',
    to: 'false',
    tests: ['test/app/dispatch.test.ts'],
  },
  {
    name: 'the rest of a batch goes out on a single letter',
    path: 'src/app/overlay/press-writes.ts',
    from: 'return askToContinue(deck, plan);',
    to: 'return plan.resume(plan.left());',
    tests: ['test/app/overlay/press-writes.test.ts'],
  },
  {
    name: 'the old rule is removed before the new one holds',
    path: 'src/actions/forms/rule-form.ts',
    from: 'return [...(isNew ? [{...add, owner}] : []), {...remove, owner}];',
    to: 'return [{...remove, owner}, ...(isNew ? [{...add, owner}] : [])];',
    tests: ['test/actions/forms/rule-form.test.ts'],
  },
  {
    name: 'an undo takes a bare y, whatever it does',
    path: 'src/app/undo-question.ts',
    from: ": (asked?.answer ?? {kind: 'key'})",
    to: ": {kind: 'key'}",
    tests: ['test/app/undo-question.test.ts'],
  },
  {
    name: 'an action that may end our own session takes a bare y',
    path: 'src/actions/machines/assess-power.ts',
    from: ' || holdsOwnSession(machine, known));',
    to: ');',
    tests: ['test/actions/machines/assess-power.test.ts'],
  },
];
