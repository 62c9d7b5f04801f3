import {createContext, useContext, useInsertionEffect} from 'react';

/**
 * Where painted lines may be left on their way to the terminal. Ink then lays out a one-character ticket in place of
 * each line and the terminal's writer puts the line back: on coloured text itself Ink spends ten times as long,
 * measured at 200×50.
 */
export type LineRegister = {
  /** A character that stands for the line. Undefined when none is free; then the line itself goes through Ink. */
  readonly ticketFor: (painted: string, layer: number) => string | undefined;
  /** A ticket that is held stays valid; others may be given away after a while. */
  readonly hold: (ticket: string) => void;
  readonly release: (ticket: string) => void;
};

/** Without a register, as in tests of components, lines go through Ink as they are. */
export const LineRegisterContext = createContext<LineRegister | undefined>(undefined);

/** What Ink gets in place of the painted line; the line's ticket is held as long as it is on screen. */
export function useTicket(painted: string, layer: number): string {
  const register = useContext(LineRegisterContext);
  const ticket = register?.ticketFor(painted, layer);
  // An insertion effect runs before Ink draws the commit, a layout effect would come after.
  useInsertionEffect(() => {
    if (register === undefined || ticket === undefined) return undefined;
    register.hold(ticket);
    return () => register.release(ticket);
  }, [register, ticket]);
  return ticket ?? painted;
}
