import {render} from 'ink-testing-library';
import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {Lines, PaintedLines} from '../../src/ui/lines.tsx';
import {createTheme} from '../../src/ui/theme.ts';
import {type LineRegister, LineRegisterContext} from '../../src/ui/use-ticket.ts';

const theme = createTheme({depth: 'none', background: 'dark', glyphs: GLYPH_SETS.unicode});

/** A register that hands out the capital letters in order and keeps book of what is held. */
function letters(): LineRegister & {readonly held: Set<string>} {
  const given = new Map<string, string>();
  const held = new Set<string>();
  return {
    held,
    ticketFor: painted => {
      const ticket = given.get(painted) ?? String.fromCharCode(65 + given.size);
      given.set(painted, ticket);
      return ticket;
    },
    hold: ticket => held.add(ticket),
    release: ticket => held.delete(ticket),
  };
}

describe('Lines', () => {
  it('shows its lines cut and padded, one under the other', () => {
    const {lastFrame} = render(<Lines lines={[[{text: 'a long line'}], [{text: 'short'}]]} width={6} theme={theme} />);
    expect(lastFrame()).toBe('a lon…\nshort');
  });
});

describe('PaintedLines', () => {
  it('gives Ink tickets in place of lines where there is a register', () => {
    const register = letters();
    const {lastFrame} = render(
      <LineRegisterContext.Provider value={register}>
        <PaintedLines lines={['first', 'second', 'first']} width={6} />
      </LineRegisterContext.Provider>,
    );
    expect(lastFrame()).toBe('A\nB\nA');
  });

  it('holds a ticket while its line is on screen', async () => {
    const register = letters();
    const tree = (lines: readonly string[]) => (
      <LineRegisterContext.Provider value={register}>
        <PaintedLines lines={lines} width={6} />
      </LineRegisterContext.Provider>
    );
    const {rerender, unmount} = render(tree(['first', 'second']));
    expect([...register.held]).toEqual(['A', 'B']);
    rerender(tree(['first', 'third']));
    expect([...register.held].sort()).toEqual(['A', 'C']);
    unmount();
    expect([...register.held]).toEqual([]);
  });

  it('shows the line itself when no ticket is free', () => {
    const {lastFrame} = render(
      <LineRegisterContext.Provider value={{...letters(), ticketFor: () => undefined}}>
        <PaintedLines lines={['first']} width={6} />
      </LineRegisterContext.Provider>,
    );
    expect(lastFrame()).toBe('first');
  });
});
