import {EventEmitter} from 'node:events';
import {describe, expect, it} from 'vitest';
import {takeInput} from '../../src/app/dispatch.ts';
import {isAnswer} from '../../src/app/overlay/press-question.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import type {MachineStatus} from '../../src/domain/virtual-machine.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {listenToTerminal, type TerminalInput} from '../../src/terminal/input.ts';
import {keySequences} from '../support/keys.ts';
import {sweepOf} from '../support/tier.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {openDeck} from './an-open-deck.ts';

const [START, END] = ['\u001b[200~', '\u001b[201~'];

/** A deck behind its reader of terminal text, and everything it did that a person has to confirm. */
function openOnTerminal({isReadOnly = false} = {}) {
  const operations = inMemoryOperations();
  const open = openDeck('machines', {
    ...(isReadOnly ? {unlock: () => operations} : {operations}),
    ownConnection: {clientAddress: safeText('203.0.113.9'), serverPort: 22, serverAddress: safeText('192.0.2.1')},
  });
  const stream = Object.assign(new EventEmitter(), {setEncoding: () => undefined});
  const {now, after} = {now: open.time.clock.monotonicNow, after: open.time.clock.after};
  const take = (input: TerminalInput) => takeInput(open.deck, input);
  listenToTerminal(stream, {now, after, take, isAnswer: key => isAnswer(open.deck, key)});
  const send = (chunk: string) => stream.emit('data', chunk);
  return {
    ...open,
    operations,
    send,
    done: () => [
      ...operations.begun.map(({action}) => action.kind),
      ...open.asked.filter(each => /^(?:leave|run|watch)/.test(each)),
      ...(isReadOnly && open.deck.writes.mode().access !== 'locked' ? ['unlocked'] : []),
    ],
    /** Each key in a chunk of its own, half a second after the one before. */
    typed: async (...keys: readonly string[]) => {
      for (const sequence of keys.flatMap(key => keySequences(key, {isApplicationCursor: false}))) {
        await open.time.advance(500);
        send(sequence);
      }
      await open.time.advance(500);
    },
  };
}

type OnTerminal = ReturnType<typeof openOnTerminal>;

function seen(status: MachineStatus, at: number) {
  const record = aVirtualMachine({id: 7, name: safeText('train-02'), status, statusText: safeText(status)});
  return {startedAt: monotonicMs(at), records: [record], isWhole: true};
}

/** Stopped from here, and confirmed: z asks about starting it again. */
async function stopped(open: OnTerminal): Promise<void> {
  await open.typed('p', 'x', 'y');
  const [before, after] = [seen('ACTIVE', 1), seen('SHUTOFF', 2000)];
  open.store.writeValue(machinesFeed, aListing(after.records), monotonicMs(2000));
  open.operations.reach('CONFIRMED', undefined, {before, after});
}

type Question = {
  readonly name: string;
  /** Opens it. */
  readonly ask: (open: OnTerminal) => Promise<void>;
  readonly answer: string;
  /** What the answer does. */
  readonly does: string;
  readonly isReadOnly?: true;
};

const QUESTIONS: readonly Question[] = [
  {name: 'an action', ask: open => open.typed('p', 'x'), answer: 'y', does: 'vm.stop'},
  {
    name: 'an action from a form',
    ask: open => open.typed('i', 'l', 'ctrl-u', 'web', 'enter'),
    answer: 'y',
    does: 'vm.set-labels',
  },
  {name: 'a deletion', ask: open => open.typed('X'), answer: 'train-02\r', does: 'vm.delete'},
  {name: 'many at once', ask: open => open.typed('*', 'p', 'x'), answer: 'stop 2\r', does: 'vm.stop'},
  {
    name: 'an undo',
    ask: async open => {
      await stopped(open);
      await open.typed('z');
    },
    answer: 'y',
    does: 'vm.start',
  },
  {
    name: 'a redo',
    ask: async open => {
      await stopped(open);
      await open.typed('z', 'y');
      const [before, after] = [seen('SHUTOFF', 3000), seen('ACTIVE', 4000)];
      open.operations.reach('CONFIRMED', undefined, {before, after});
      open.store.writeValue(machinesFeed, aListing(after.records), monotonicMs(4000));
      await open.typed('Z');
    },
    answer: 'y',
    does: 'vm.stop',
  },
  {
    name: 'writes in a read-only session',
    ask: open => open.typed('W'),
    answer: 'y',
    does: 'unlocked',
    isReadOnly: true,
  },
  {
    name: 'leaving while something is under way',
    ask: async open => {
      await open.typed('p', 'x', 'y');
      open.operations.reach('accepted');
      await open.typed('1', 'q');
    },
    answer: 'y',
    does: 'leave 0',
  },
  {name: 'ssh', ask: open => open.typed('s'), answer: 'y', does: 'run'},
  {name: 'the GPUs over ssh', ask: open => open.typed('u'), answer: 'y', does: 'watch'},
];

/** Chunks, and the pauses between them. */
type Shape = (answer: string) => readonly (string | number)[];
const MARKED: readonly (readonly [name: string, shape: Shape])[] = [
  ['the answer', answer => [START + answer + END]],
  ['the answer in pieces', answer => [START, 5, answer, 5, END]],
  ['the answer key by key', answer => [START, ...[...answer].flatMap(key => [50, key]), 50, END]],
  ['marks that are cut', answer => ['\u001b[2', 3, `00~${answer}\u001b[2`, 3, '01~']],
  ['a mark cut after the escape', answer => ['\u001b', 3, `[200~${answer}`, 3, END]],
  ['the answer behind it', answer => [`${START}a ${END}${answer}`]],
  ['the answer before it', answer => [`${answer}${START}a ${END}`]],
  ['the answer soon after it', answer => [`${START}a ${END}`, 5, answer]],
  ['the answer later after it', answer => [`${START}a ${END}`, 140, answer]],
  ['the answer after a pause', answer => [`${START}a ${END}`, 1500, answer]],
  ['no end', answer => [`${START}a`, 300, answer]],
  ['an end alone', answer => [`${END}${answer}`]],
  ['an end alone, soon before', answer => [END, 100, answer]],
  ['the answer before an end', answer => [`${answer}${END}`]],
  ['marks of its own', answer => [`${START} ${START}${answer} ${END}${answer} ${END}`]],
  ['marks of its own, in pieces', answer => [`${START} ${END}`, 5, answer, 5, ` ${END}`, 5, answer]],
  ['two pastes', answer => [START + answer + END + START + answer + END]],
  ['nothing, and the answer', answer => [START + END + answer]],
];
/** With pauses, so that only what comes after it can tell that nobody typed it. */
const typedApart = (answer: string) => [...answer].flatMap((key, index) => (index === 0 ? [key] : [200, key]));
const UNMARKED: typeof MARKED = [
  ['the answer twice', answer => [answer + answer]],
  ['text before it', answer => [`a${answer}`]],
  ['text behind it', answer => [`${answer}a`]],
  ['lines', answer => [`ls\r${answer}\r`]],
  ['enter at once behind it', answer => (answer.length === 1 ? [`${answer}\r`] : [answer.slice(0, -1), 5, '\r'])],
  ['text, and at once the answer', answer => ['ls', 5, answer]],
  ['text at once behind it', answer => [...typedApart(answer), 19, 'es, please']],
  ['text at once behind it, key by key', answer => [...typedApart(answer), 5, 'e', 5, 's', 5, '\r']],
  ['an arrow at once behind it', answer => [...typedApart(answer), 10, '\u001b[A']],
];

/** In the sample each question meets a third of the pastes, and each paste a third of the questions. */
function pastesAt(question: Question): typeof MARKED {
  const at = QUESTIONS.indexOf(question);
  const pastes = [...MARKED, ...UNMARKED];
  return sweepOf({sample: pastes.filter((_, index) => (index + at) % 3 === 0), deep: pastes});
}

describe.each(QUESTIONS)('a question about $name', question => {
  const {ask, answer, does, isReadOnly = false} = question;
  const asked = async () => {
    const open = openOnTerminal({isReadOnly});
    await ask(open);
    await open.time.advance(1000);
    expect(open.deck.asks()).toBe(true);
    return {...open, before: open.done().length};
  };

  it('is answered by its answer, typed', async () => {
    const {typed, done, before} = await asked();
    await typed(...answer.replace('\r', ''), ...(answer.endsWith('\r') ? ['enter'] : []));
    expect(done().slice(before)[0]).toMatch(new RegExp(`^${does}`));
  });

  it.each(pastesAt(question))('is not answered by a paste with %s', async (_shape, shape) => {
    const {time, send, done, before} = await asked();
    for (const part of shape(answer)) {
      if (typeof part === 'number') await time.advance(part);
      else send(part);
    }
    await time.advance(3000);
    expect(done().slice(before)).toEqual([]);
  });
});

describe.each([
  ['power', ['p']],
  ['edit', ['i']],
  ['all actions', ['a']],
  ['copies', ['C']],
] as const)('the menu of %s', (_name, keys) => {
  it.each(MARKED)('is not used by a paste with %s', async (_shape, shape) => {
    const {time, send, done, asked, deck, typed} = openOnTerminal();
    await typed(...keys);
    expect(deck.overlay()?.kind).toBe('menu');
    for (const part of shape('x')) {
      if (typeof part === 'number') await time.advance(part);
      else send(part);
    }
    await time.advance(3000);
    expect([...done(), ...asked]).toEqual([]);
  });
});
