import {createContext, useContext, useSyncExternalStore} from 'react';
import type {Cancel, EpochMs, MonotonicMs} from '../domain/time.ts';

/** One moment on the clock that is shown and on the one that ages are counted by. */
export type Moment = {readonly now: EpochMs; readonly monotonicNow: MonotonicMs};

/** Tells of each second that passes. */
export type Seconds<M extends Moment = Moment> = {
  readonly subscribe: (listener: () => void) => Cancel;
  /** The same object until the next second, or the next repaint. */
  readonly latest: () => M;
};

/** For what counts seconds, such as the age in the edge of a box: it is drawn again while all around it is left alone. */
export const SecondsContext = createContext<Seconds | undefined>(undefined);

/** The present moment, and each second a rendering with the next one, where it is wanted; undefined without a clock above. */
export function useMoment(isWanted: boolean): Moment | undefined {
  const seconds = useContext(SecondsContext);
  const {subscribe, latest} = isWanted && seconds !== undefined ? seconds : STANDSTILL;
  return useSyncExternalStore<Moment | undefined>(subscribe, latest);
}

const STANDSTILL = {subscribe: () => () => undefined, latest: () => undefined};
