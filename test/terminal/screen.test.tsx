import {PassThrough} from 'node:stream';
import {Box, render, Text, useInput, usePaste} from 'ink';
import {useState} from 'react';
import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {createScreen} from '../../src/terminal/screen.ts';
import {PaintedLines, PastInk} from '../../src/ui/lines.tsx';
import {createVirtualClock} from '../support/clock.ts';
import {createEmulator, visibleLines, written} from '../support/emulator.ts';
import {watchModes} from '../support/terminal-modes.ts';
import {fakeOutput} from './fake-output.ts';

function open({
  columns = 40,
  rows = 8,
  glyphs = 'unicode',
}: {
  columns?: number;
  rows?: number;
  glyphs?: 'unicode' | 'ascii';
} = {}) {
  const output = fakeOutput({columns, rows});
  const time = createVirtualClock();
  const gone: Error[] = [];
  const screen = createScreen({stdout: output.stream, clock: time.clock, glyphs, onGone: error => gone.push(error)});
  const emulator = createEmulator({columns, rows});
  const modes = watchModes(emulator);
  let read = 0;
  const shown = async () => {
    await written(emulator, output.pieces.slice(read).join(''));
    read = output.pieces.length;
    return visibleLines(emulator);
  };
  return {output, time, gone, screen, emulator, modes, shown};
}

describe('createScreen', () => {
  it('enters the alternate screen, shows the frame and gives the terminal back', async () => {
    const {screen, modes, shown, emulator} = open();
    await written(emulator, 'before');
    screen.paint('hello\n  \u001b[1mworld\u001b[0m');
    screen.enter();
    expect((await shown()).slice(0, 2)).toEqual(['hello', '  world']);
    expect(modes.now()).toMatchObject({isAltScreen: true, isCursorHidden: true, isBracketedPaste: true});
    screen.leave();
    expect((await shown())[0]).toBe('before');
    expect(modes.now()).toMatchObject({isAltScreen: false, isCursorHidden: false, isBracketedPaste: false});
  });

  it('has keys sent as bytes each time it enters, on the screen that it leaves again', () => {
    const {screen, output} = open();
    for (const time of ['first', 'again']) {
      output.pieces.length = 0;
      screen.enter();
      // The kitty keyboard and xterm's modifyOtherKeys off, as their documents write it.
      const sent = output.pieces.join('').replaceAll('\u001b', 'ESC');
      expect(sent, time).toMatch(/ESC\[\?1049h.*ESC\[=0uESC\[>4;0m/su);
      screen.leave();
    }
  });

  it('keeps what it shows while it is held, and shows the latest frame soon after', async () => {
    const {screen, shown, time} = open();
    screen.enter();
    screen.paint('first');
    screen.hold();
    screen.paint('second');
    expect((await shown())[0]).toBe('first');
    screen.release();
    await time.advance(20);
    expect((await shown())[0]).toBe('second');
  });

  it('is no longer held when everything has to be redrawn', async () => {
    const {screen, shown} = open();
    screen.enter();
    screen.paint('first');
    screen.hold();
    screen.paint('second');
    screen.repaint();
    expect((await shown())[0]).toBe('second');
  });

  it('shows a line that changed behind its placeholder without a new frame, once a turn of the event loop', async () => {
    const {screen, shown, output} = open();
    screen.enter();
    const slot = screen.slots.open();
    slot?.show({painted: 'one', layer: 0});
    screen.paint(`> ${slot?.placeholder}`);
    await settled();
    expect((await shown())[0]).toBe('> one');
    const pieceCount = output.pieces.length;
    slot?.show({painted: 'two', layer: 0});
    slot?.show({painted: 'three', layer: 0});
    await settled();
    expect((await shown())[0]).toBe('> three');
    expect(output.pieces.length).toBe(pieceCount + 1);
  });

  it('writes nothing for a frame that is already shown', () => {
    const {screen, output} = open();
    screen.enter();
    screen.paint('one\ntwo');
    const pieceCount = output.pieces.length;
    screen.paint('one\ntwo');
    screen.paint('\u001b[0mone   \ntwo\n\n');
    expect(output.pieces.length).toBe(pieceCount);
  });

  it('marks a long change as one update and leaves a short one without marks', () => {
    const {screen, output} = open({columns: 100, rows: 10});
    screen.enter();
    screen.paint(Array.from({length: 10}, (_, row) => String(row).repeat(100)).join('\n'));
    const long = output.pieces.at(-1) ?? '';
    expect([long.slice(0, 8), long.slice(-8)]).toEqual(['\u001b[?2026h', '\u001b[?2026l']);
    screen.paint(
      Array.from({length: 10}, (_, row) => (row === 3 ? 'x' : String(row)).repeat(100))
        .join('\n')
        .slice(0, -1),
    );
    screen.paint('');
    expect(output.pieces.at(-1)).not.toContain('?2026');
  });

  it('cuts a frame that is larger than the terminal and never scrolls', async () => {
    const {screen, shown, emulator} = open({columns: 10, rows: 3});
    screen.enter();
    screen.paint(Array.from({length: 9}, (_, row) => `${row}`.repeat(30)).join('\n'));
    expect(await shown()).toEqual(['0'.repeat(10), '1'.repeat(10), '2'.repeat(10)]);
    expect(emulator.buffer.active.baseY).toBe(0);
  });

  it('shows control bytes as visible characters, and counts them', async () => {
    const {screen, shown} = open();
    screen.enter();
    screen.paint('a\u001b[2Jb\u0007c\u009b31md\u001b[8me\rf');
    expect((await shown())[0]).toBe('a␛[2Jb␇c�31mde␍f');
    // ESC, BEL, C1 CSI, conceal, CR.
    expect(screen.refusedCount()).toBe(5);
  });

  it('shows only ASCII characters with the ASCII glyphs', () => {
    const {screen, output} = open({glyphs: 'ascii'});
    screen.enter();
    screen.paint('a – b … 你 é');
    const sent = output.pieces.join('');
    expect(sent).toContain('a - b ~ ?? ?');
    expect(Buffer.byteLength(sent)).toBe(sent.length);
  });

  it('draws at most once in 50 ms while the terminal is resized, and ends with the last size', async () => {
    const {screen, output, time} = open();
    screen.enter();
    screen.paint('frame');
    await time.advance(1000);
    const erasedBefore = countErased(output.pieces);
    screen.stdout.on('resize', () => screen.paint(`${screen.stdout.columns}`));
    for (let columns = 1; columns <= 100; columns++) {
      output.resize(columns, 8);
      await time.advance(10);
    }
    await time.advance(100);
    expect(countErased(output.pieces) - erasedBefore).toBeLessThanOrEqual(1000 / 50 + 2);
    expect(screen.size()).toEqual({columns: 100, rows: 8});
    expect(output.pieces.at(-1)).toContain('100');
  });

  it('survives sizes from zero to huge', async () => {
    const {screen, output, time} = open();
    screen.enter();
    for (const [columns, rows] of [
      [1, 1],
      [0, 0],
      [500, 200],
      [65_535, 65_535],
      [2, 1],
      [80, 24],
    ] as const) {
      output.resize(columns, rows);
      screen.paint('你好 wide\n你');
      await time.advance(100);
    }
    expect(screen.size()).toEqual({columns: 80, rows: 24});
  });

  it('skips to the latest frame when the reader was slow', () => {
    const {screen, output} = open();
    screen.enter();
    screen.paint('first');
    output.stall();
    const pieceCount = output.pieces.length;
    for (let frame = 0; frame < 1000; frame++) screen.paint(`frame ${frame}`);
    expect(output.pieces.length).toBe(pieceCount);
    output.drain();
    expect(output.pieces.length).toBe(pieceCount + 1);
    expect(output.pieces.at(-1)).toContain('999');
  });

  it.each(['EIO', 'EPIPE', 'EBADF', 'ENXIO'])('reports once that the terminal is gone: %s', code => {
    const {screen, output, gone} = open();
    screen.enter();
    output.fail(code);
    output.fail(code);
    const pieceCount = output.pieces.length;
    screen.paint('later');
    screen.leave();
    expect(gone.length).toBe(1);
    expect(output.pieces.length).toBe(pieceCount);
  });

  it('redraws everything when the terminal took only a part', async () => {
    const {screen, output, time, gone, shown} = open();
    screen.enter();
    screen.paint('whole');
    output.fail('EAGAIN');
    output.pieces.length = 0;
    await time.advance(100);
    expect(gone).toEqual([]);
    expect(output.pieces.join('')).toContain('whole');
    await shown();
  });

  it('gives a picture of what it shows', () => {
    const {screen} = open({columns: 10, rows: 2});
    screen.enter();
    expect(screen.picture().plain).toBe('');
    screen.paint('\u001b[1mone\u001b[0m\ntwo');
    expect(screen.picture()).toEqual({plain: 'one\ntwo', coloured: '\u001b[1mone\u001b[m\ntwo'});
  });

  it('sends a copied text as base64, and refuses one that is too long', () => {
    const {screen, output} = open();
    screen.enter();
    expect(screen.copy(safeText('185.9.1.20'))).toBe(true);
    expect(output.pieces.at(-1)).toBe(`\u001b]52;c;${Buffer.from('185.9.1.20').toString('base64')}\u0007`);
    expect(screen.copy(safeText('é'.repeat(4000)))).toBe(false);
  });
});

it('a screen rings, and has the terminal notify in the way that was chosen', () => {
  const {screen, output} = open();
  screen.enter();
  screen.ring();
  screen.notify(safeText('gpu-7: a; b'), 'osc9');
  screen.notify(safeText('gpu-7: a; b'), 'osc777');
  expect(output.pieces.slice(-3)).toEqual([
    '\u0007',
    '\u001b]9;gpu-7: a; b\u0007',
    '\u001b]777;notify;skydeck;gpu-7: a, b\u0007',
  ]);
});

describe('createScreen under Ink', () => {
  it('lets none of Ink’s own mode switches through, and shows its frames', async () => {
    const {screen, output, shown, modes} = open();
    screen.enter();
    const stdin = fakeInput();
    const instance = render(<Typing />, {...INK, stdout: screen.stdout, stdin});
    await settled();
    stdin.write('k');
    await settled();
    expect((await shown())[0]).toBe('typed k');
    instance.unmount();
    await instance.waitUntilExit();
    await shown();
    // Ink switches paste off and the cursor on when it ends; both stay as `enter` set them until `leave`.
    expect(modes.now()).toMatchObject({isCursorHidden: true, isBracketedPaste: true});
    screen.leave();
    expect(output.pieces.at(-1)).toContain('?1049l');
  });

  it('puts lines that bypass Ink in the places of their placeholders, with the dialog above the deck', async () => {
    const {screen, shown} = open({columns: 20, rows: 4});
    screen.enter();
    const lines = ['\u001b[31maaaaaaaaaa\u001b[0m', 'bbbbbbbb你', 'cccccccccc'];
    const tree = (
      <PastInk slots={screen.slots}>
        <Box width={20} height={4}>
          <PaintedLines lines={lines} width={10} />
          <PaintedLines lines={['1111111111', '2222222222', '3333333333']} width={10} />
          <Box position="absolute" left={9} top={1}>
            <PaintedLines lines={['[dialog]']} width={8} layer={1} />
          </Box>
          <Box position="absolute" left={0} top={3}>
            <Text>plain text</Text>
          </Box>
        </Box>
      </PastInk>
    );
    render(tree, {...INK, stdout: screen.stdout, stdin: fakeInput()});
    await settled();
    // The dialog begins in the second cell of the wide character, which becomes blank.
    expect(await shown()).toEqual([
      'aaaaaaaaaa1111111111',
      'bbbbbbbb [dialog]222',
      'cccccccccc3333333333',
      'plain text',
    ]);
  });

  it('never shows the line of another slot when lines come and go', async () => {
    const {screen, shown} = open({columns: 12, rows: 12});
    screen.enter();
    const tree = (lines: readonly string[]) => (
      <PastInk slots={screen.slots}>
        <Box flexDirection="column">
          <PaintedLines lines={['stays here  ']} width={12} />
          <PaintedLines lines={lines} width={12} />
        </Box>
      </PastInk>
    );
    const {rerender} = render(tree([]), {...INK, stdout: screen.stdout, stdin: fakeInput()});
    // More lines in all than there are placeholders: 6,400.
    for (let count = 1; count <= 700; count += 1) {
      const lines = Array.from({length: count % 2 === 0 ? 10 : 11}, (_, at) => `line ${count} ${at}`);
      rerender(tree(lines));
      if (count % 100 > 1) continue;
      await settled();
      expect(await shown()).toEqual(['stays here', ...lines, ...(lines.length === 10 ? [''] : [])]);
    }
  });
});

const INK = {debug: true, interactive: true, exitOnCtrlC: false, patchConsole: false} as const;

function Typing() {
  const [typed, setTyped] = useState('');
  useInput(input => setTyped(typed + input));
  usePaste(() => undefined);
  return <Text>typed {typed}</Text>;
}

function fakeInput(): NodeJS.ReadStream {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
  // The types of Ink require a whole terminal stream, but it uses only these members.
  return stdin as unknown as NodeJS.ReadStream;
}

/** Waits until React and Ink have finished their work. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
}

function countErased(pieces: readonly string[]): number {
  return pieces.filter(piece => piece.includes('\u001b[H\u001b[J')).length;
}
