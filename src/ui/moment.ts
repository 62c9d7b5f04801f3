import {createContext, useContext, useSyncExternalStore} from 'react';
import type {Cancel, EpochMs, MonotonicMs} from '../domain/time.ts';

/** One moment, on the displayed clock and on the one used for ages. */
export type Moment = {readonly now: EpochMs; readonly monotonicNow: MonotonicMs};

/** Notifies each second. */
export type Seconds<M extends Moment = Moment> = {
  readonly subscribe: (listener: () => void) => Cancel;
  /** The same object until the next second or repaint. */
  readonly latest: () => M;
};

/**
 * For parts that count seconds, such as the age at the edge of a box: they are redrawn while everything around them is
 * left alone.
 */
export const SecondsContext = createContext<Seconds | undefined>(undefined);

/** The present moment. If wanted, it renders again every second; undefined without a clock above. */
export function useMoment(isWanted: boolean): Moment | undefined {
  const seconds = useContext(SecondsContext);
  const {subscribe, latest} = isWanted && seconds !== undefined ? seconds : STANDSTILL;
  return useSyncExternalStore<Moment | undefined>(subscribe, latest);
}

const STANDSTILL = {subscribe: () => () => undefined, latest: () => undefined};
