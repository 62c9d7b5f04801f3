import {EventEmitter} from 'node:events';
import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {ask} from '../../src/terminal/ask.ts';
import {createVirtualClock} from '../support/clock.ts';

const START = '\u001b[200~';
const END = '\u001b[201~';
const QUESTION = 'Type y to send it once: ';

/** A question on a terminal, shown 400 ms after it was requested. */
async function put({isHidden = false, term = 'xterm'}: {isHidden?: boolean; term?: string} = {}) {
  const time = createVirtualClock();
  const shown: string[] = [];
  const kills: string[] = [];
  const modes: boolean[] = [];
  const stdin = Object.assign(new EventEmitter(), {
    setEncoding: () => undefined,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
    resume: () => undefined,
    pause: () => undefined,
  });
  const answers: (string | undefined)[] = [];
  const signals = new EventEmitter();
  const asked = ask(
    {
      on: (event: 'SIGCONT', listener: () => void) => signals.on(event, listener),
      off: (event: 'SIGCONT', listener: () => void) => signals.off(event, listener),
      stdin,
      stderr: {write: (text: string) => shown.push(text)},
      pid: 1,
      kill: (_pid: number, signal: string) => kills.push(signal),
      env: {TERM: term},
    },
    QUESTION,
    {now: time.clock.monotonicNow, after: time.clock.after, isHidden},
  ).then(answer => answers.push(answer));
  await time.advance(0);
  return {
    time,
    asked,
    kills,
    modes,
    /** Types each piece as the terminal sends it, with enough time after it for a person to read. */
    type: async (...pieces: readonly string[]) => {
      for (const piece of pieces) {
        stdin.emit('data', piece);
        await time.advance(500);
      }
    },
    emit: (piece: string) => stdin.emit('data', piece),
    continued: () => signals.emit('SIGCONT'),
    listenerCount: () => signals.listenerCount('SIGCONT'),
    end: () => stdin.emit('end'),
    shown: () => shown.join(''),
    /** The answers so far; none while the question is open. */
    answers: () => answers,
  };
}

describe('a question of a command', () => {
  it('appears once what was typed ahead is dropped', async () => {
    const {type, time, shown, answers} = await put();
    expect(shown()).not.toContain(QUESTION);
    await type('y\r', '\r');
    expect(shown()).toContain(QUESTION);
    await time.advance(1000);
    expect(answers()).toEqual(['']);
  });

  it('is answered by typed text and a separate enter', async () => {
    const {time, type, answers, modes} = await put();
    await time.advance(500);
    await type('x', '\u007f', 'y', '\r');
    expect(answers()).toEqual(['y']);
    expect(modes).toEqual([true, false]);
  });

  it.each<[name: string, pieces: readonly string[], apartMs: number, firstMs?: number]>([
    ['a name, and enter a millisecond after it', ['dev-aoi', '\r'], 1],
    ['letters and enter a millisecond apart', [...'dev-aoi', '\r'], 1],
    ['as much as a terminal line holds, and the rest later', [`${' '.repeat(4088)}dev-aoi`, '\r'], 100],
    ['a pause before enter, and the rest right after it', ['dev-aoi', '\r', 'rest of a paste'], 12, 100],
    ['an erased line in one piece', [`${'x'.repeat(60)}\u0015dev-aoi`, '\r'], 100],
  ])('is not answered by a paste without marks: %s', async (_name, pieces, apartMs, firstMs = apartMs) => {
    const {time, emit, type, shown, answers} = await put();
    await time.advance(500);
    for (const [index, piece] of pieces.entries()) {
      emit(piece);
      await time.advance(index === 0 ? firstMs : apartMs);
    }
    await time.advance(1000);
    expect(answers()).toEqual([]);
    expect(shown()).toContain('pasted text is not accepted');
    await type('dev-aoi', '\r');
    expect(answers()).toEqual(['dev-aoi']);
  });

  it('is not answered by an enter that waited with the name before it while the program stood still', async () => {
    const {time, emit, type, shown, answers} = await put();
    await time.advance(500);
    emit('dev-aoi');
    time.standStill(100);
    emit('\r');
    await time.advance(1000);
    expect(answers()).toEqual([]);
    expect(shown()).toContain('type the answer');
    await type('dev-aoi', '\r');
    expect(answers()).toEqual(['dev-aoi']);
  });

  it.each([
    ['a letter', ['a'], '\b \b'],
    ['a wide character', ['漢'], '\b \b\b \b'],
    ['a letter with an accent of its own', ['e\u0301'], '\b \b'],
    ['a letter whose accent came after it', ['e', '\u0301'], '\b \b'],
    ['an emoji of several characters', ['👩‍💻'], '\b \b\b \b'],
  ])('has every cell of %s erased by backspace, and no other', async (_name, typed, erased) => {
    const {time, type, shown, answers} = await put();
    await time.advance(500);
    await type('x', ...typed);
    const before = shown();
    await type('\u007f');
    expect(shown().slice(before.length)).toBe(erased);
    await type('\r');
    expect(answers()).toEqual(['x']);
  });

  it('has every cell of the line erased by ctrl-u', async () => {
    const {time, type, shown} = await put();
    await time.advance(500);
    await type('漢', 'a');
    const before = shown();
    await type('\u0015');
    expect(shown().slice(before.length)).toBe('\b \b'.repeat(3));
  });

  it.each([
    ['a y with its enter in one piece', ['y\r']],
    ['a paste', [`${START}y${END}`, '\r']],
    ['a paste with an enter', [`${START}y\r${END}`]],
    ['keys after a paste', [`${START}a ${END}y`, '\r']],
    ['keys before a paste', [`y${START}a ${END}`, '\r']],
    ['a paste that contains markers', [`${START} ${START}y ${END}y ${END}`, '\r']],
    ['what was typed before a paste', ['y', `${START}a${END}`, '\r']],
    ['a paste in pieces', [START, 'y', '\r', END, '\r']],
  ])('is not answered by %s', async (_name, pieces) => {
    const {time, type, answers} = await put();
    await time.advance(500);
    await type(...pieces);
    expect(answers().filter(answer => answer !== '')).toEqual([]);
  });

  it('rejects a paste with a message, and is asked again', async () => {
    const {time, type, answers, shown} = await put();
    await time.advance(500);
    await type(`${START}y${END}`);
    expect(shown()).toContain(`pasted text is not accepted; type the answer\n${QUESTION}`);
    await type('y', '\r');
    expect(answers()).toEqual(['y']);
  });

  it('is asked again after a stop of any length, and not answered by keys that were read just before it was noticed', async () => {
    for (const stillMs of [1, 300, 5000]) {
      const {time, emit, continued, type, shown, answers, listenerCount, modes} = await put();
      await time.advance(500);
      await type('y');
      time.standStill(stillMs);
      emit('\r');
      continued();
      await time.advance(500);
      expect(answers()).toEqual([]);
      expect(shown()).toContain(`skydeck was suspended; type the answer again\n`);
      expect(shown().split(QUESTION)).toHaveLength(3);
      await type('y', '\r');
      expect([answers(), listenerCount()]).toEqual([['y'], 0]);
      // Raw mode is set again after the shell had the terminal.
      expect(modes).toEqual([true, false, true, false]);
    }
  });

  it.each([
    [710, []],
    [300, ['y']],
  ])('after standing still for %i ms without a signal is answered by a waiting enter only if that was short', async (stillMs, given) => {
    const {time, emit, type, answers} = await put();
    await time.advance(500);
    await type('y');
    time.standStill(stillMs);
    emit('\r');
    await time.advance(100);
    await time.advance(0);
    expect(answers()).toEqual(given);
  });

  it('is suspended by ctrl-z, and asked again afterwards or when nothing stops it', async () => {
    for (const isStopped of [true, false]) {
      const {time, type, emit, continued, kills, modes, answers, shown} = await put();
      await time.advance(500);
      await type('y');
      emit('\u001a');
      await time.advance(0);
      expect([kills, modes]).toEqual([['SIGTSTP'], [true, false]]);
      if (isStopped) continued();
      await time.advance(1000);
      expect(shown().split(QUESTION)).toHaveLength(3);
      await type('\r');
      expect(answers()).toEqual(['']);
    }
  });

  it('rejects enter soon after the terminal sent something by itself, says so, and is asked again', async () => {
    const {time, type, emit, answers, shown} = await put();
    await time.advance(500);
    // Part of an answer that another program asked the terminal for.
    emit('\u001b[?1');
    await time.advance(520);
    await type('y', '\r');
    expect(shown()).toContain(`other input came just before enter; type the answer again in 4 s\n${QUESTION}`);
    expect(shown()).not.toContain('pasted');
    expect(answers()).toEqual([]);
    await time.advance(4000);
    await type('y', '\r');
    expect(answers()).toEqual(['y']);
  });

  it('rejects an answer that arrives together with its enter, and is asked again', async () => {
    const {time, type, answers, shown} = await put();
    await time.advance(500);
    await type('y\r');
    expect(shown()).toContain(`pasted text is not accepted; type the answer\n${QUESTION}`);
    await type('\r');
    expect(answers()).toEqual(['']);
  });

  it('ignores keys right after a paste', async () => {
    const {time, emit, type, answers} = await put();
    await time.advance(500);
    emit(`${START}a${END}`);
    await time.advance(399);
    emit('y');
    // Enter sooner after it would be part of a paste itself.
    await time.advance(21);
    await type('\r');
    expect(answers()).toEqual(['']);
  });

  it.each(['\u0003', 'y\u0003\r'])('is interrupted by %j at any time', async piece => {
    for (const waitMs of [0, 500]) {
      const {time, type, answers, kills, modes} = await put();
      await time.advance(waitMs);
      await type(piece);
      // The signal ends the program: an answer before it would be acted on first.
      expect(answers()).toEqual([]);
      expect(kills).toEqual(['SIGINT']);
      expect(modes).toEqual([true, false]);
    }
  });

  it('is cancelled by ctrl-d, and when the terminal goes away', async () => {
    for (const waitMs of [0, 500]) {
      const left = await put();
      await left.time.advance(waitMs);
      left.end();
      await left.time.advance(500);
      expect(left.answers()).toEqual([undefined]);
    }
    const {time, type, answers} = await put();
    await time.advance(500);
    await type('y\u0004');
    expect(answers()).toEqual([undefined]);
  });

  it.each([['\u001b'], ['y', '\u001b'], ['y\u001b']])('is declined by Escape alone: %j', async (...pieces) => {
    const {time, type, answers, kills, modes} = await put();
    await time.advance(500);
    await type(...pieces);
    expect(answers()).toEqual([undefined]);
    expect(kills).toEqual([]);
    expect(modes).toEqual([true, false]);
  });

  it.each([
    ['an arrow', ['\u001b[A']],
    ['an arrow whose rest comes 19 ms later', ['\u001b', '[A']],
    ['Alt and a key', ['\u001bx']],
    ['two Escapes', ['\u001b\u001b']],
  ])('is not declined by %s', async (_name, pieces) => {
    const {time, emit, answers, type} = await put();
    await time.advance(500);
    for (const piece of pieces) {
      emit(piece);
      await time.advance(19);
    }
    await time.advance(1200);
    expect(answers()).toEqual([]);
    await type('\u0015', 'y', '\r');
    expect(answers()).toEqual(['y']);
  });

  it('is not declined by an Escape typed before it appeared, or right after other input, of which it may be part', async () => {
    const {time, type, emit, answers, shown} = await put();
    emit('\u001b');
    await time.advance(500);
    expect(answers()).toEqual([]);
    emit('\u001b[?1');
    await time.advance(520);
    await type('\u001b');
    await time.advance(500);
    expect(shown()).toContain(`other input came just before esc; press it again in 5 s\n${QUESTION}`);
    expect(answers()).toEqual([]);
    await time.advance(5000);
    await type('\u001b');
    expect(answers()).toEqual([undefined]);
  });

  it('has the terminal mark pastes, and turns that off again', async () => {
    const {time, type, shown} = await put();
    await time.advance(500);
    expect(shown()).toContain('\u001b[?2004h');
    await type('y', '\r');
    expect(shown().lastIndexOf('\u001b[?2004l')).toBeGreaterThan(shown().lastIndexOf('\u001b[?2004h'));
  });

  // As the documents of the kitty keyboard protocol and of xterm's modifyOtherKeys write it.
  it('has keys sent as bytes, also after a stop, and restores no protocol of others', async () => {
    const {time, continued, type, shown} = await put();
    await time.advance(500);
    continued();
    await time.advance(500);
    await type('y', '\r');
    const parts = shown().split('\u001b');
    const sequences = parts.slice(1).map(part => /^\[[^a-z]*[a-z]/.exec(part)?.[0]);
    const asked = ['[?2004h', '[=0u', '[>4;0m'];
    expect(sequences).toEqual([...asked, ...asked, '[?2004l']);
  });

  it('sends no escape sequence to a terminal that has none', async () => {
    const {time, type, shown} = await put({term: 'dumb'});
    await time.advance(500);
    await type('y', '\r');
    expect(shown()).toBe(`${QUESTION}y\n`);
  });

  it('gives no answer for a paste, whatever it contains and however it arrives', async () => {
    const words = fc.constantFrom(START, END, END, '\u001b', '\u001b[20', 'y', 'y', '\r', 'train-02', '\u007f');
    const pieces = fc.array(fc.tuple(fc.array(words, {minLength: 1, maxLength: 4}), fc.nat(149)), {maxLength: 10});
    await fc.assert(
      fc.asyncProperty(pieces, async given => {
        const {time, emit, answers} = await put();
        await time.advance(500);
        emit(START);
        for (const [chunk, pauseMs] of given) {
          emit(chunk.join(''));
          await time.advance(pauseMs);
        }
        expect(answers()).toEqual([]);
      }),
    );
  });
});

describe('a hidden answer', () => {
  it('may be pasted, and is not shown', async () => {
    const {time, type, answers, shown} = await put({isHidden: true});
    await time.advance(500);
    await type(`${START}CANARY${END}`, '\r');
    expect(answers()).toEqual(['CANARY']);
    expect(shown()).not.toContain('CANARY');
  });

  it('is not ended by an enter inside a paste', async () => {
    const {time, type, answers} = await put({isHidden: true});
    await time.advance(500);
    await type(`${START}CANARY\r\n${END}`);
    expect(answers()).toEqual([]);
    await type('\r');
    expect(answers()).toEqual(['CANARY']);
  });
});
