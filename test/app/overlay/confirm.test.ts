import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {Confirmation} from '../../../src/actions/question/question.ts';
import {
  answeredEarly,
  type ConfirmKey,
  closingSeconds,
  isArmed,
  isConfirmation,
  isPlainYes,
  wayOut,
  whyNotConfirmed,
  whyNotTaken,
} from '../../../src/app/overlay/confirm.ts';
import {type OpenQuestion, READING_START} from '../../../src/app/overlay/overlay.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {inputWith} from '../../../src/ui/text-input.ts';

const SHOWN_AT = 10_000;
const NAME: Confirmation = {kind: 'text', what: 'name', expected: safeText('train-02')};

function open(answer: Confirmation, {typed = '', lastKeyAt}: {typed?: string; lastKeyAt?: number} = {}): OpenQuestion {
  return {
    kind: 'question',
    reading: READING_START,
    question: {
      title: safeText('stop train-02 #7'),
      facts: [],
      answer,
      alternatives: [],
      steps: [
        {
          action: {kind: 'vm.stop', id: virtualMachineId(7)},
          subjectName: safeText('train-02'),
          status: 'ACTIVE',
        },
      ],
      purpose: {kind: 'begin', mode: 'chain'},
    },
    shownAt: monotonicMs(SHOWN_AT),
    input: inputWith(typed),
    lastKeyAt: lastKeyAt === undefined ? undefined : monotonicMs(lastKeyAt),
  };
}

function press(key: string, afterMs: number, rest: Partial<ConfirmKey> = {}): ConfirmKey {
  return {key, at: monotonicMs(SHOWN_AT + afterMs), isAlone: true, isWhollyRead: true, ...rest};
}

describe('isArmed', () => {
  it.each([
    [0, false],
    [399, false],
    [400, true],
    [60_000, true],
  ])('%i ms after the question appeared: %s', (afterMs, armed) => {
    expect(isArmed(open({kind: 'key'}), monotonicMs(SHOWN_AT + afterMs))).toBe(armed);
  });
});

describe('isConfirmation by a key', () => {
  const question = open({kind: 'key'});

  it.each<[string, ConfirmKey, boolean]>([
    ['y, once it could have been read', press('y', 400), true],
    ['y before that', press('y', 399), false],
    ['y among other keys', press('y', 1000, {isAlone: false}), false],
    ['y to a question that is cut off', press('y', 1000, {isWhollyRead: false}), false],
    ['Enter', press('enter', 1000), false],
    ['a capital Y', press('Y', 1000), false],
    ['a blank', press('space', 1000), false],
    ['n', press('n', 1000), false],
    ['y within a minute', press('y', 59_999), true],
    ['y after a minute, when what it says may no longer be true', press('y', 60_000), false],
  ])('%s: %#', (_name, key, isYes) => {
    expect(isConfirmation(question, key)).toBe(isYes);
  });

  it.each([
    [149, false],
    [150, true],
  ])('accepts a y %i ms after the key before it: %s', (afterMs, isYes) => {
    const busy = open({kind: 'key'}, {lastKeyAt: SHOWN_AT + 1000});
    expect(isConfirmation(busy, press('y', 1000 + afterMs))).toBe(isYes);
  });
});

it.each([
  {kind: 'key'} as const,
  NAME,
])('a question that no longer applies is not confirmed, however it is answered: $kind', answer => {
  const asked = open(answer, {typed: 'train-02', lastKeyAt: SHOWN_AT + 1000});
  const yes = press(answer.kind === 'key' ? 'y' : 'enter', 5000);
  expect(isConfirmation({...asked, outdated: {text: safeText('it was stopped'), isOver: true}}, yes)).toBe(false);
  expect(isConfirmation({...asked, outdated: {text: safeText('it costs more'), isOver: false}}, yes)).toBe(true);
  expect(isConfirmation(asked, yes)).toBe(true);
});

it('an answer that came early is answered again a second later, and not by its repetitions', () => {
  const early = answeredEarly(open({kind: 'key'}), monotonicMs(SHOWN_AT + 50));
  expect([660, 1049, 1050].map(afterMs => isConfirmation(early, press('y', afterMs)))).toEqual([false, false, true]);
});

it('the seconds until a question closes are shown for the last fifteen', () => {
  const asked = open({kind: 'key'});
  const secondsAt = (afterMs: number) => closingSeconds(asked, monotonicMs(SHOWN_AT + afterMs));
  expect([0, 44_999, 45_000, 59_001, 60_000, 61_000].map(secondsAt)).toEqual([undefined, undefined, 15, 1, 0, 0]);
  const typing = open(NAME, {lastKeyAt: SHOWN_AT + 30_000});
  expect(closingSeconds(typing, monotonicMs(SHOWN_AT + 75_000))).toBe(15);
  expect(wayOut(asked, monotonicMs(SHOWN_AT + 1000), 'esc')).toBe('esc');
  expect(wayOut(asked, monotonicMs(SHOWN_AT + 50_000), 'esc')).toBe('closes in 10 s');
});

describe('isPlainYes', () => {
  it.each<[string, ConfirmKey, boolean]>([
    ['y, once it could have been read', press('y', 400), true],
    ['y before that', press('y', 399), false],
    ['y among other keys', press('y', 1000, {isAlone: false}), false],
    ['n', press('n', 1000), false],
    ['y within a minute', press('y', 59_999), true],
    ['y after a minute', press('y', 60_000), false],
  ])('%s: %#', (_name, key, isYes) => {
    expect(isPlainYes(open({kind: 'key'}), key)).toBe(isYes);
  });
});

describe('isConfirmation by the name', () => {
  it.each<[string, string, string, boolean]>([
    ['the whole name and Enter', 'train-02', 'enter', true],
    ['Enter alone', '', 'enter', false],
    ['part of the name and Enter', 'train-0', 'enter', false],
    ['more than the name and Enter', 'train-02 ', 'enter', false],
    ['different capitals and Enter', 'Train-02', 'enter', false],
    ['the whole name and y', 'train-02', 'y', false],
  ])('%s', (_name, typed, key, isYes) => {
    expect(isConfirmation(open(NAME, {typed}), press(key, 5000))).toBe(isYes);
  });

  it('never accepts an empty name', () => {
    const nameless: Confirmation = {kind: 'text', what: 'name', expected: safeText('')};
    expect(isConfirmation(open(nameless, {typed: ''}), press('enter', 5000))).toBe(false);
  });

  it('accepts Enter right after the last letter, since a whole name is not typed by accident, but not at once', () => {
    const typed = open(NAME, {typed: 'train-02', lastKeyAt: SHOWN_AT + 4000});
    expect(isConfirmation(typed, press('enter', 4050))).toBe(true);
    expect(isConfirmation(typed, press('enter', 4020))).toBe(true);
    // Nobody types this fast: it was pasted.
    expect(isConfirmation(typed, press('enter', 4019))).toBe(false);
  });

  it('accepts Enter for a minute after the last letter, and no longer', () => {
    const typed = open(NAME, {typed: 'train-02', lastKeyAt: SHOWN_AT + 40_000});
    expect(isConfirmation(typed, press('enter', 99_999))).toBe(true);
    expect(isConfirmation(typed, press('enter', 100_000))).toBe(false);
  });

  it('never accepts Enter in a paste, among other keys, or for a question that is cut off', () => {
    const typed = open(NAME, {typed: 'train-02', lastKeyAt: SHOWN_AT + 4000});
    expect(isConfirmation(typed, press('enter', 5000, {isAlone: false}))).toBe(false);
    expect(isConfirmation(typed, press('enter', 5000, {isWhollyRead: false}))).toBe(false);
  });
});

it('accepts no other key and no other text as a confirmation, at any time', () => {
  const key = fc.oneof(fc.constantFrom('enter', 'esc', 'tab', 'space', 'up', 'ctrl-y', 'Y', 'j'), fc.string());
  fc.assert(
    fc.property(key, fc.nat(100_000), fc.string(), (pressed, afterMs, typed) => {
      fc.pre(pressed !== 'y' && typed !== 'train-02');
      expect(isConfirmation(open({kind: 'key'}, {typed}), press(pressed, afterMs))).toBe(false);
      expect(isConfirmation(open(NAME, {typed}), press(pressed, afterMs))).toBe(false);
    }),
  );
});

describe('why an answer is not taken', () => {
  it.each<[string, OpenQuestion, ConfirmKey, string | undefined]>([
    ['taken', open({kind: 'key'}), press('y', 2000), undefined],
    ['too early', open({kind: 'key'}), press('y', 100), 'y came before the question could be read; press y again'],
    ['too late', open({kind: 'key'}), press('y', 60_001), 'the question was open for too long; ask again'],
    [
      'right after another key',
      open({kind: 'key'}, {lastKeyAt: SHOWN_AT + 1950}),
      press('y', 2000),
      'y came right after another key; press it again',
    ],
    [
      'in one chunk with others',
      open({kind: 'key'}),
      press('y', 2000, {isAlone: false}),
      'y came together with other keys; press it again',
    ],
    [
      'while the end of a sequence may come',
      open({kind: 'key'}),
      press('y', 2000, {isAlone: false, aloneInMs: 1200}),
      'other input came just before y; press y again in 2 s',
    ],
    [
      'not read to its end',
      open({kind: 'key'}),
      press('y', 2000, {isWhollyRead: false}),
      'down shows the rest of the question',
    ],
    [
      'no longer true',
      {...open({kind: 'key'}), outdated: {text: safeText('gone'), isOver: true}},
      press('y', 2000),
      'the question no longer applies; esc closes it',
    ],
    [
      'the service was away',
      {...open({kind: 'key'}), isAway: true},
      press('y', 2000),
      'nothing could be sent until now; press y again',
    ],
    ['a typed name', open(NAME, {typed: 'train-02'}), press('enter', 2000), undefined],
    [
      'a typed name with its enter',
      open(NAME, {typed: 'train-02', lastKeyAt: SHOWN_AT + 1990}),
      press('enter', 2000),
      'enter came right after another key; press it again',
    ],
    ['another name', open(NAME, {typed: 'train-03'}), press('enter', 2000), 'train-03 is not train-02; type it again'],
    ['no name', open(NAME), press('enter', 2000), 'type train-02 first'],
    ['no name yet', open(NAME), press('enter', 100), 'enter came before the question could be read; type train-02'],
  ])('%s', (_, question, pressed, reason) => {
    expect(whyNotConfirmed(question, pressed)).toBe(reason);
  });

  it('a plain yes needs no pause before it', () => {
    expect(whyNotTaken(open({kind: 'key'}, {lastKeyAt: SHOWN_AT + 1999}), press('y', 2000))).toBeUndefined();
  });
});
