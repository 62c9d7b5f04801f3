import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {candidatesOf, questionFor} from '../../../src/actions/question/question-for.ts';
import {fact, type Question} from '../../../src/actions/question/question.ts';
import {openQuestion} from '../../../src/app/overlay/overlay.ts';
import {isWhollyRead, questionDialog, turnPage} from '../../../src/app/overlay/question-box.tsx';
import type {Action} from '../../../src/domain/action.ts';
import {nameRemarks, safeText, say} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {dialogLines} from '../../../src/ui/dialog.tsx';
import {lineWidth, paintLine, textOf} from '../../../src/ui/text.ts';
import {aKnownScene} from '../../panes/a-known-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {reportCounted, reportMeasured} from '../../support/measured.ts';
import {sweepOf} from '../../support/tier.ts';
import {anyPayload, UNSEEN} from '../../torture/payloads.ts';
import {aScene, isQuestionVisible} from '../a-scene.ts';

const NAMES = sweepOf({sample: 100, deep: 2000, whole: 20_000});
const PAIRS = sweepOf({sample: 2000, deep: 20_000, whole: 100_000});
const UNSEEN_NAMES = sweepOf({sample: 200, deep: 2000, whole: 10_000});
const BLANK = [' ', '\t', '\u00a0', '\u1680', '\u2003', '\u2007', '\u200a', '\u202f', '\u205f', '\u2800', '\u3000'];
const PATIENT = {timeout: 20 * 60_000};

function aQuestion(name: string, id: number): Question {
  const subjectName = safeText(name);
  return {
    title: say`hibernate ${subjectName}  #${id}`,
    facts: [fact('happens', [[{text: 'It becomes HIBERNATED.'}]])],
    answer: {kind: 'text', what: 'id', expected: say`${id}`},
    alternatives: [],
    steps: [{action: {kind: 'vm.hibernate', id: virtualMachineId(id), retainsIp: true}, subjectName}],
    purpose: {kind: 'begin', mode: 'chain'},
  };
}

// Characters that join their neighbours, when a name ends at the edge of the box or is folded.
const JOINING = [
  '\u0e33',
  '\u0eb3',
  '\u0d4e',
  '\u{11d46}',
  '\u0903',
  '\u0301',
  '\u200d',
  '\ufe0f',
  '\ud83d',
  '\u{1f1e9}',
];

const SGR = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]*m`, 'g');

/** What is painted inside the box, its lines joined where they were folded. */
function shownText(question: Question, columns: number): string {
  const {theme} = aScene();
  const lines = dialogLines(questionDialog(question, {columns, rows: 24}, aScene())).map(line =>
    paintLine(line, lineWidth(line), theme).replaceAll(SGR, ''),
  );
  const [title = '', ...body] = lines;
  return [title, ...body.map(line => line.slice(1, -1))].join('').replaceAll(/\s/g, '');
}

describe('a question', PATIENT, () => {
  it('shows the whole name and the id, however long and odd the name, whenever it accepts an answer', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({unit: 'grapheme', minLength: 1, maxLength: 50}),
          fc.string({unit: fc.constantFrom(...'abc-01'), minLength: 40, maxLength: 50}),
          fc
            .array(fc.constantFrom(...JOINING, '👩', '東', 'ᄀ', 'น', 'a', ' '), {minLength: 1, maxLength: 40})
            .map(parts => parts.join('').slice(0, 50)),
          anyPayload.map(payload => payload.slice(0, 50)).filter(payload => payload !== ''),
        ),
        fc.integer({min: 1, max: 9_007_199_254}),
        fc.integer({min: 60, max: 100}),
        (name, id, columns) => {
          const question = aQuestion(name, id);
          const scene = aScene();
          if (!isQuestionVisible(question, {columns, rows: 24}, scene)) return;
          const shown = shownText(question, columns);
          expect(shown).toContain(`${safeText(name)}#${id}`.replaceAll(/\s/g, ''));
        },
      ),
      {
        numRuns: NAMES,
        examples: [
          ['👩\u2800\ud83d\u200d\udc69👩\u{11d46}', 10_000_000, 60],
          ['\u0e33👩\u200d\u093f\u0301\u0c3e👩', 10_000_000, 60],
        ],
      },
    );
  });

  it('shows something of a name that is nothing but what cannot be seen', () => {
    let unseenCount = 0;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...UNSEEN, ...BLANK), {minLength: 1, maxLength: 50}),
        fc.integer({min: 60, max: 100}),
        (characters, columns) => {
          const name = safeText(characters.join(''));
          const machine = aVirtualMachine({id: 7, name, status: 'ACTIVE', statusText: say`ACTIVE`});
          const scene = aKnownScene({machines: [machine]});
          const question = questionFor(candidatesOf([{kind: 'vm.stop', id: machine.id}], scene), scene);
          if (question === undefined) throw new Error('nothing is asked');
          const shown = shownText(question, columns);
          unseenCount += 1;
          const [, ofName = ''] = /stop(.*?)#7/.exec(shown) ?? [];
          expect(ofName.replaceAll(/[\s\p{Default_Ignorable_Code_Point}\u2800]/gu, '')).not.toBe('');
        },
      ),
      {numRuns: UNSEEN_NAMES, seed: 3},
    );
    reportCounted('unseen names', unseenCount);
    reportMeasured(`${unseenCount} names of what cannot be seen, something of each shown`);
  });

  it('shows two names differently, or warns about hidden characters', () => {
    let [pairCount, alikeCount] = [0, 0];
    fc.assert(
      fc.property(anyPayload, fc.oneof(anyPayload, fc.constant(undefined)), (name, another) => {
        pairCount += 1;
        // The hardest to distinguish from a name is the text that is shown for it.
        const other = another ?? safeText(name);
        if (name === other || safeText(name) !== safeText(other)) return;
        alikeCount += 1;
        expect(nameRemarks(safeText(name)).join()).toContain('hidden or control characters');
      }),
      {numRuns: PAIRS, seed: 1},
    );
    expect(alikeCount).toBeGreaterThan(PAIRS / 100);
    reportCounted('pairs of names', pairCount);
    reportMeasured(`${pairCount} pairs of names, ${alikeCount} of them shown alike and each of these marked`);
  });

  it('can be answered at 60 columns with a name of fifty characters', () => {
    const question = aQuestion('nightly-regression-suite-runner-for-driver-r570-01', 793_380);
    expect(isQuestionVisible(question, {columns: 60, rows: 16}, aScene())).toBe(true);
    expect(shownText(question, 60)).toContain('nightly-regression-suite-runner-for-driver-r570-01#793380');
  });
});

describe('the time left to answer', () => {
  const top = (name: string, now: number): string => {
    const question = {...aQuestion(name, 7), facts: [fact('happens', [[{text: WORDS}]])]};
    const open = {...openQuestion(question, monotonicMs(0)), isDryRun: false};
    const scene = aScene({monotonicNow: monotonicMs(now)});
    return textOf(dialogLines(questionDialog(question, {columns: 80, rows: 24}, scene, open))[0] ?? []);
  };

  const WORDS = 'It becomes HIBERNATED, and what it was running is gone.';

  // Unanswered, a question closes after 60 s.
  it.each([
    [44_999, 'esc = no'],
    [45_000, 'closes in 15 s'],
    [48_000, 'closes in 12 s'],
    [59_001, 'closes in 1 s'],
  ])('after %i ms reads %s', (now, words) => {
    expect(top('gpu-7', now)).toContain(` ${words} `);
  });

  it('takes no room from a long name, and shifts nothing', () => {
    const name = 'nightly-regression-suite-runner-for-driver-r570';
    const [before, counted] = [0, 48_000].map(now => top(name, now));
    expect(counted).toContain(`hibernate ${name}  #7`);
    expect(counted).toContain(' 12 s ');
    expect(lineWidth([{text: counted ?? ''}])).toBe(lineWidth([{text: before ?? ''}]));
  });
});

describe('a question about many in the smallest terminal', () => {
  const SIZE = {columns: 60, rows: 16};
  const machines = (count: number, status: 'ACTIVE' | 'SHUTOFF' | 'HIBERNATED') =>
    Array.from({length: count}, (_, index) =>
      aVirtualMachine({id: 700 + index, name: safeText(`train-${index}`), status, statusText: safeText(status)}),
    );
  const CASES = [
    ['vm.start', 'SHUTOFF'],
    ['vm.stop', 'ACTIVE'],
    ['vm.hard-reboot', 'ACTIVE'],
    ['vm.hibernate', 'ACTIVE'],
    ['vm.restore', 'HIBERNATED'],
    ['vm.delete', 'SHUTOFF'],
    ['vm.attach-ip', 'ACTIVE'],
  ] as const;

  it.each(
    CASES.flatMap(([kind, status]) => [2, 5, 12, 40].map(count => [kind, count, status] as const)),
  )('%s of %i shows every name and id, and when it stops, before it can be answered', (kind, count, status) => {
    const scene = aKnownScene({machines: machines(count, status)});
    const actions = machines(count, status).map(
      ({id}): Action => (kind === 'vm.hibernate' ? {kind, id, retainsIp: true} : {kind, id}),
    );
    const question = questionFor(candidatesOf(actions, scene), scene);
    if (question === undefined) throw new Error('nothing is asked');
    let open = openQuestion(question, monotonicMs(0));
    const seen: string[] = [];
    const look = () => {
      const lines = dialogLines(questionDialog(open.question, SIZE, scene, {...open, isDryRun: false}));
      seen.push(lines.map(line => textOf(line).slice(1, -1)).join(' '));
    };
    look();
    for (let page = 0; page < 30 && !isWhollyRead(open, SIZE, scene); page += 1) {
      const reading = turnPage(open, 'down', SIZE, scene);
      if (reading !== undefined) open = {...open, reading};
      look();
    }
    const shown = seen.join(' ').replaceAll(/\s+/g, ' ');
    for (const {name, id} of machines(count, status)) expect(shown).toContain(`${name} #${id}`);
    expect(shown).toMatch(/stops at the first whose outcome is unknown/);
  });
});
