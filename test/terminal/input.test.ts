import {EventEmitter} from 'node:events';
import {PassThrough} from 'node:stream';
import {setImmediate as turn} from 'node:timers/promises';
import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {Clock} from '../../src/domain/time.ts';
import {listenToTerminal, type TerminalInput} from '../../src/terminal/input.ts';
import {anyCharacter} from '../support/any-text.ts';
import {createVirtualClock} from '../support/clock.ts';
import {anyInput, END, inPieces, START} from './any-input.ts';

function listen(isAnswer: (key: string) => boolean = () => false, after?: Clock['after']) {
  const time = createVirtualClock();
  const given: TerminalInput[] = [];
  const stream = Object.assign(new EventEmitter(), {setEncoding: () => undefined});
  const stop = listenToTerminal(stream, {
    now: time.clock.monotonicNow,
    after: after ?? time.clock.after,
    take: input => given.push(input),
    isAnswer,
  });
  return {
    time,
    stop,
    read: (chunk: string) => stream.emit('data', chunk),
    /** The input since the last call; for how long no key is alone is given by `aloneIn`. */
    came: () => given.splice(0).map(input => (input.kind === 'keys' ? keys(input.names, input.isAlone) : input)),
    /** For how long after the last keys no key is alone. */
    aloneIn: () => given.map(input => (input.kind === 'keys' ? input.aloneInMs : undefined)).at(-1),
  };
}

const keys = (names: readonly string[], isAlone = false): TerminalInput => ({kind: 'keys', names, isAlone});
const paste = (text: string): TerminalInput => ({kind: 'paste', text});
const PASTING: TerminalInput = {kind: 'pasting'};

describe('a key that answers a question', () => {
  const isAnswer = (key: string) => key === 'y';

  it('counts once nothing has followed it for 20 ms; other keys count at once', async () => {
    const {read, came, time} = listen(isAnswer);
    read('j');
    expect(came()).toEqual([keys(['j'], true)]);
    read('y');
    await time.advance(19);
    expect(came()).toEqual([]);
    await time.advance(1);
    expect(came()).toEqual([keys(['y'], true)]);
  });

  it('is not alone when something follows it sooner', async () => {
    const {read, came, time} = listen(isAnswer);
    read('y');
    await time.advance(19);
    read('es');
    expect(came()).toEqual([keys(['y', 'e', 's'])]);
    read('y');
    await time.advance(5);
    read(`${START}a${END}`);
    await time.advance(1000);
    expect(came()).toEqual([paste('a')]);
  });

  // Timers come before the terminal is read, so after a stall time is up although the rest has been waiting.
  it.each([
    ['is not alone when what followed it waited while the program stood still', 'es', [keys(['y', 'e', 's'])]],
    ['is alone when nothing did', '', [keys(['y'], true)]],
  ])('%s', async (_name, rest, expected) => {
    const timers: (() => void)[] = [];
    const {read, came} = listen(isAnswer, (_delayMs, run) => {
      timers.push(run);
      return () => {};
    });
    read('y');
    for (const run of timers) run();
    if (rest !== '') read(rest);
    await turn();
    expect(came()).toEqual(expected);
  });

  // A paste without marks may arrive in two chunks, and the program may stand still between reading them.
  it.each([
    ['is not alone when it waited with the keys before it while the program stood still', false, [keys(['enter'])]],
    ['is alone when the terminal was read in between', true, [keys(['enter'], true)]],
  ])('enter %s', async (_name, isReadBetween, expected) => {
    const timers: (() => void)[] = [];
    const pass = () => {
      for (const run of timers.splice(0)) run();
    };
    const {read, came, time} = listen(
      key => key === 'enter',
      (_delayMs, run) => {
        timers.push(run);
        return () => {};
      },
    );
    read('dev-aoi');
    await time.advance(1000);
    pass();
    if (isReadBetween) await turn();
    came();
    read('\r');
    pass();
    await turn();
    expect(came()).toEqual(expected);
  });

  it('is dropped when nobody listens any more', async () => {
    const {read, came, time, stop} = listen(isAnswer);
    read('y');
    stop();
    await time.advance(1000);
    expect(came()).toEqual([]);
  });
});

describe('keys', () => {
  it.each<[string, readonly TerminalInput[]]>([
    ['y', [keys(['y'], true)]],
    ['\r', [keys(['enter'], true)]],
    ['yy', [keys(['y', 'y'])]],
    ['y\r', [keys(['y', 'enter'])]],
    ['y\u007f', [keys(['y', 'backspace'])]],
    ['y\u001b[A', [keys(['y', 'up'])]],
    ['\u001b[Ay', [keys(['up', 'y'])]],
    ['y\u001b[99~', [keys(['y'])]],
    ['\u001b[?1;2c', []],
    ['\u001b]11;rgb:1e1e/1e1e/2e2e\u0007', []],
    ['\u001b]11;rgb:0/0/0\u001b\\y', [keys(['y'])]],
  ])('of one chunk are reported together, and a key is alone when nothing else came with it: %j', (chunk, expected) => {
    const {read, came} = listen();
    read(chunk);
    expect(came()).toEqual(expected);
  });

  it.each([
    ['a position', '\u001b[24;80R'],
    ['the focus', '\u001b[I'],
    ['a colour', '\u001b]11;rgb:1e1e/1e1e/2e2e\u0007'],
  ])('are not alone shortly after the terminal reports %s', async (_name, report) => {
    const {read, came, time} = listen();
    read(report);
    await time.advance(10);
    read('y');
    expect(came()).toEqual([keys(['y'])]);
    await time.advance(139);
    read('y');
    expect(came()).toEqual([keys(['y'])]);
    await time.advance(1);
    read('y');
    expect(came()).toEqual([keys(['y'], true)]);
  });

  it('are distinguished from the beginning of a sequence by time', async () => {
    const {read, came, time} = listen();
    read('\u001b');
    await time.advance(19);
    expect(came()).toEqual([]);
    await time.advance(1);
    expect(came()).toEqual([keys(['esc'])]);
    read('y');
    expect(came()).toEqual([keys(['y'], true)]);
  });

  it('of Escape and another are one chunk when nothing follows, and never alone', async () => {
    const {read, came, time} = listen();
    read('\u001bO');
    await time.advance(20);
    expect(came()).toEqual([keys(['esc', 'O'])]);
  });

  it('of a sequence that arrives in two chunks are one key', async () => {
    const {read, came, time} = listen();
    read('\u001b[');
    read('B');
    read('\u001b');
    read('y');
    await time.advance(1000);
    expect(came()).toEqual([keys(['down']), keys(['esc', 'y'])]);
  });

  it('are not read from a sequence that is cut off', async () => {
    const {read, came, time} = listen();
    read('\u001b[2');
    await time.advance(6000);
    read('y');
    expect(came()).toEqual([keys(['y'], true)]);
  });

  it.each([
    [['\u001b]11;', 'y', '\u0007'], [keys(['j'], true)]],
    [['\u001b]52;c;eX', 'l5', '\u001b', '\\'], [keys(['j'], true)]],
    [['\u001bP>|te', 'y', '\u001b\\'], [keys(['j'], true)]],
    [
      ['\u001b]11;rgb:', '\u0003'],
      [keys(['esc', ']', '1', '1', ';', 'r', 'g', 'b', ':', 'ctrl-c']), keys(['j'], true)],
    ],
    // Cut off: its part is dropped and keys count again, but none is alone yet, so that none answers a question.
    [['\u001b]11;rgb:'], [keys(['j'])]],
  ])("are not read from a terminal's answer that arrives in chunks: %j", async (pieces, expected) => {
    const {read, came, time} = listen();
    for (const piece of pieces) {
      read(piece);
      await time.advance(100);
    }
    await time.advance(1000);
    read('j');
    expect(came()).toEqual(expected);
  });

  it.each([
    ['a picture', '\u001b_Gi=1;OK\u001b\\'],
    ['a title', '\u001b]lyes\u001b\\'],
    ['a long copied text', `\u001b]52;c;${'eXl5'.repeat(2000)}\u001b\\`],
    ['a copied text in one byte', '\u009d52;c;eXl5\u009c'],
    ['a name in one byte', '\u0090>|yyy\u009c'],
    ['a position in one byte', '\u009b12;40R'],
  ])("are not read from a terminal's answer wherever it is cut: %s", async (_name, answer) => {
    const cuts = answer.length < 100 ? [...answer].map((_, index) => index + 1) : [1, 2, 5, 4000, 4097, 8000, 8007];
    for (const at of cuts) {
      const {read, came, time} = listen();
      for (const piece of [answer.slice(0, at), answer.slice(at, at + 1), answer.slice(at + 1)]) {
        if (piece !== '') read(piece);
        await time.advance(10);
      }
      await time.advance(1000);
      expect(came()).toEqual([]);
    }
  });

  it('are not read from a long answer that is cut off by another key', async () => {
    const {read, came, time} = listen();
    for (let count = 0; count < 20; count += 1) {
      read('y'.repeat(1000).replace(/^/, count === 0 ? '\u001b]52;c;' : ''));
      await time.advance(100);
    }
    read('\u0003');
    expect(came()).toEqual([keys(['ctrl-c'])]);
  });

  it.each(['\u009d', '\u009dy', '\u0090y', '\u009b'])('are not read from %j when nothing follows', async begun => {
    const {read, came, time} = listen();
    read(begun);
    await time.advance(1000);
    expect(came()).toEqual([]);
    read('y');
    expect(came()).toEqual([keys(['y'])]);
  });

  it('are no longer reported after listening has stopped', async () => {
    const {read, came, time, stop} = listen();
    read('\u001b');
    stop();
    read('y');
    await time.advance(1000);
    expect(came()).toEqual([]);
  });
});

it('letters that arrive in pieces are whole, and listening can end before any came', () => {
  const stream = new PassThrough();
  const given: TerminalInput[] = [];
  const {clock} = createVirtualClock();
  const stop = listenToTerminal(stream, {
    now: clock.monotonicNow,
    after: clock.after,
    take: input => given.push(input),
  });
  const [first = 0, ...rest] = Buffer.from('é');
  stream.write(Buffer.from([first]));
  stream.write(Buffer.from(rest));
  expect(stream.read()).toBeNull();
  expect(given).toEqual([keys(['é'], true)]);
  stop();
  expect(listen().stop).not.toThrow();
});

describe('a paste', () => {
  it.each<[string, readonly TerminalInput[]]>([
    [`${START}a b${END}`, [paste('a b')]],
    [`${START}a ${END}y`, [paste('a ')]],
    [`y${START}a ${END}`, [paste('a ')]],
    [`${START} ${START}y ${END}y ${END}`, [paste(' y ')]],
    [`y${END}y`, [paste('')]],
    [`${START}a${END}${START}y`, [paste('a')]],
    [`${START}y\r`, [PASTING]],
  ])('discards the keys that came in the same chunk: %j', (chunk, expected) => {
    const {read, came} = listen();
    read(chunk);
    expect(came()).toEqual(expected);
  });

  it('that begins in the chunk in which another ended is one of its own', () => {
    const {read, came} = listen();
    read(`${START}a${END}j${START}b`);
    read('y');
    read(`c${END}`);
    expect(came()).toEqual([paste('a'), paste('byc')]);
  });

  it('of the longest length is taken, and a longer one is not', async () => {
    for (const [length, text] of [
      [65_536, 'y'.repeat(65_536)],
      [65_537, ''],
    ] as const) {
      const {read, came} = listen();
      read(START + 'y'.repeat(length));
      read(END);
      expect(came()).toEqual([PASTING, paste(text)]);
      read(`${START}b${END}`);
      expect(came()).toEqual([paste('b')]);
    }
  });

  it('continues over any number of chunks', async () => {
    const {read, came, time} = listen();
    for (const piece of [START, 'y', '\r', `y${END.slice(0, 3)}`, END.slice(3)]) {
      read(piece);
      await time.advance(5000);
    }
    expect(came()).toEqual([PASTING, paste('y\ry')]);
    read('y');
    expect(came()).toEqual([keys(['y'], true)]);
  });

  it('is recognised even when its first byte was taken for an Escape', async () => {
    const {read, came, time} = listen();
    read('\u001b');
    await time.advance(1000);
    read('[200~y');
    await time.advance(1000);
    read('y');
    read(END);
    expect(came()).toEqual([keys(['esc']), PASTING, paste('yy')]);
  });

  it('lets no key be alone that follows it closely, nor keys that follow those', async () => {
    const {read, came, time} = listen();
    read(`${START}a${END}`);
    await time.advance(149);
    read('y');
    await time.advance(149);
    read('\r');
    await time.advance(150);
    read('y');
    expect(came()).toEqual([paste('a'), keys(['y']), keys(['enter']), keys(['y'], true)]);
  });

  it.each([
    '\u001b]11;rgb:',
    '\u001bP>|x',
    '\u001b[?1',
    '\u001b[?2026;2$',
    '\u001b]52;c;',
  ])('may follow a sequence that broke off, so no key is alone for five seconds after %j', async beginning => {
    const {read, came, time} = listen();
    read(beginning);
    await time.advance(1500);
    came();
    read('y');
    expect(came()).toEqual([keys(['y'])]);
    await time.advance(3400);
    read('y');
    expect(came()).toEqual([keys(['y'])]);
    await time.advance(300);
    read('y');
    expect(came()).toEqual([keys(['y'], true)]);
  });

  it('may follow for five seconds, and not for one millisecond more', async () => {
    for (const [afterMs, isAlone] of [
      [4999, false],
      [5000, true],
    ] as const) {
      const {read, came, time} = listen();
      read('\u001b[?1');
      // Until then the rest may arrive at once.
      await time.advance(20);
      await time.advance(afterMs);
      read('y');
      expect(came()).toEqual([keys(['y'], isAlone)]);
    }
  });

  it('says for how long no key is alone because of what the terminal sent, and says nothing of other keys', async () => {
    const {read, aloneIn, time} = listen();
    read('yy');
    expect(aloneIn()).toBeUndefined();
    read('\u001b[I');
    await time.advance(50);
    read('y');
    expect(aloneIn()).toBe(100);
    read('\u001b[?1');
    await time.advance(1020);
    read('y');
    expect(aloneIn()).toBe(4000);
  });

  it.each([
    ['[', 20],
    ['O', 20],
    ['P', 150],
    [']', 150],
    ['_', 150],
  ])('may follow Escape and %s, which Alt and that key send too, for one second', async (letter, waitMs) => {
    for (const [afterMs, isAlone] of [
      [999, false],
      [1000, true],
    ] as const) {
      const {read, came, time} = listen();
      read(`\u001b${letter}`);
      await time.advance(waitMs);
      expect(came()).toEqual([keys(['esc', letter])]);
      await time.advance(afterMs);
      read('y');
      expect(came()).toEqual([keys(['y'], isAlone)]);
    }
  });

  it('may follow for five seconds when several characters come within that second, as of an answer', async () => {
    const {read, came, time} = listen();
    read('\u001b[');
    await time.advance(900);
    read('?2026;2$');
    await time.advance(4999);
    came();
    read('y');
    await time.advance(1);
    read('y');
    expect(came()).toEqual([keys(['y']), keys(['y'], true)]);
  });

  it.each(['X', '^', 'a'])('never follows Escape and %s, with which no terminal begins an answer', async letter => {
    const {read, came} = listen();
    read(`\u001b${letter}`);
    read('y');
    expect(came()).toEqual([keys(['esc', letter]), keys(['y'], true)]);
  });

  it.each(['X', '^', 'P'])('do not come of the end of a text that begins with Escape and %s', async letter => {
    const {read, came, time} = listen();
    read(`\u001b${letter}y\u001b\\`);
    await time.advance(1000);
    read('j');
    expect(came()).toEqual([keys(['esc', letter, 'y']), keys(['j'], true)]);
  });

  it('lets no key be alone after a broken sequence that follows it closely', async () => {
    const {read, came, time} = listen();
    read(`${START}a${END}`);
    for (const piece of ['\u001b[20', '\u001b[20', 'y']) {
      await time.advance(149);
      read(piece);
    }
    expect(came()).toEqual([paste('a'), keys(['y'])]);
  });

  it('whose end marker is lost is ended by a ctrl-c that arrives by itself', async () => {
    const {read, came, time} = listen();
    read(`${START}a`);
    read('\u0003');
    await time.advance(1000);
    read('q\u0003');
    await time.advance(1000);
    read('\u0003');
    await time.advance(1000);
    read('y');
    expect(came()).toEqual([PASTING, keys(['ctrl-c']), keys(['y'], true)]);
  });

  it('that is too long is dropped, and the keys after it count again', async () => {
    const {read, came, time} = listen();
    read(START);
    for (let count = 0; count < 70; count += 1) read('y'.repeat(1000));
    read(END);
    await time.advance(1000);
    read('y');
    expect(came()).toEqual([PASTING, paste(''), keys(['y'], true)]);
  });
});

describe('any input, cut anywhere,', () => {
  const isAnswer = (input: TerminalInput): boolean =>
    input.kind === 'keys' && input.isAlone && /^(?:y|enter)$/.test(input.names.join());

  it('has no answer that is alone when it begins with a paste and never pauses', async () => {
    await fc.assert(
      fc.asyncProperty(
        inPieces(
          anyInput.map(rest => START + rest),
          149,
        ),
        async pieces => {
          const {read, came, time} = listen();
          for (const {chunk, pauseMs} of pieces) {
            if (chunk !== '') read(chunk);
            await time.advance(pauseMs);
          }
          expect(came().filter(isAnswer)).toEqual([]);
        },
      ),
    );
  });

  it('has no answer that is alone except one that arrives by itself and outside of a paste', async () => {
    await fc.assert(
      fc.asyncProperty(inPieces(anyInput, 1000), async pieces => {
        const {read, came, time} = listen();
        let sent = '';
        for (const {chunk, pauseMs} of pieces) {
          if (chunk === '') continue;
          came();
          read(chunk);
          sent += chunk;
          const isInside = sent.lastIndexOf(START) > sent.lastIndexOf(END) && chunk !== '\u0003';
          if (came().some(isAnswer)) expect({isInside, length: chunk.length}).toEqual({isInside: false, length: 1});
          await time.advance(pauseMs);
          if (chunk === '\u0003') sent = '';
        }
      }),
    );
  });

  it('delivers pasted text unchanged', async () => {
    const text = fc
      .array(fc.oneof({weight: 15, arbitrary: anyCharacter}, fc.constant('\r')), {maxLength: 30})
      .map(characters => characters.join('').replaceAll(/(?!\r)\p{Cc}/gu, ''));
    await fc.assert(
      fc.asyncProperty(
        inPieces(
          text.map(pasted => START + pasted + END),
          19,
        ),
        async pieces => {
          const whole = pieces.map(({chunk}) => chunk).join('');
          const {read, came, time} = listen();
          for (const {chunk, pauseMs} of pieces) {
            if (chunk !== '') read(chunk);
            await time.advance(pauseMs);
          }
          const expected = whole === '' ? [] : [paste(whole.slice(START.length, -END.length))];
          expect(came().filter(({kind}) => kind !== 'pasting')).toEqual(expected);
        },
      ),
    );
  });
});
