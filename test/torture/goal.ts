/** One promise about a hostile world: what is asked, and where it is measured. */
export type Goal = {
  readonly number: number;
  readonly name: string;
  /** Nothing is released where it is missed. */
  readonly isBlocker?: true;
  readonly asked: string;
  /** Hold a share of it in `npm test`, and all of it here. */
  readonly tests: {
    readonly paths: readonly string[];
    /** The tests in those files that are about this goal; all where nothing is said. */
    readonly titles?: string;
  };
  /** What no test has the time for. */
  readonly measure?: (share: Share, focus: Focus) => Promise<Measured>;
};

/** For what is measured in parts: the only parts to measure, by a text in their name, and where to say which is next. */
export type Focus = {readonly part: string | undefined; readonly tell: (progress: string) => void};

/** `whole` is what the goal asks for; `quick` is enough to see that the measure itself works. */
export type Share = 'quick' | 'whole';

export type Measured = {readonly measured: string; readonly isMet: boolean};
