/** One promise about a hostile world: what is asked, and where it is measured. */
export type Goal = {
  readonly number: number;
  readonly name: string;
  /** Nothing is released when it is missed. */
  readonly isBlocker?: true;
  readonly asked: string;
  /** How many cases of each name its tests and its measurement must have tried: with fewer it is missed. */
  readonly counts: Counts;
  /** The tests check a part of it in `npm test`, and all of it here. */
  readonly tests: {
    readonly paths: readonly string[];
    /** Texts in the titles of the tests that are about this goal; all tests of those files when absent. */
    readonly titles?: readonly string[];
  };
  /** Measures what takes too long for a test. */
  readonly measure?: (share: Share, focus: Focus) => Promise<Measured>;
};

/** For a goal measured in parts: a text in the names of the parts to measure, and a function that reports the next. */
export type Focus = {readonly part: string | undefined; readonly tell: (progress: string) => void};

/** `whole` is what the goal asks for; `quick` is enough to see that the measure itself works. */
export type Share = 'quick' | 'whole';

export type Measured = {readonly measured: string; readonly isMet: boolean; readonly counts?: Counts};

/** How many cases were tried, by what they are. */
export type Counts = Readonly<Record<string, number>>;

/** How many of each that a goal counts were tried. */
export function countsOf({counts}: Pick<Goal, 'counts'>, results: readonly Measured[]): Counts {
  const countOf = (name: string) => results.reduce((sum, result) => sum + (result.counts?.[name] ?? 0), 0);
  return Object.fromEntries(Object.keys(counts).map(name => [name, countOf(name)]));
}

/** What was tried less often than the goal asks for, one line each; in a part of a goal, what was not tried at all. */
export function shortfallsOf(goal: Pick<Goal, 'counts'>, results: readonly Measured[], share: Share): string[] {
  return Object.entries(countsOf(goal, results)).flatMap(([name, counted]) => {
    const least = share === 'whole' ? (goal.counts[name] ?? 0) : 1;
    return counted >= least ? [] : [`only ${counted.toLocaleString('en')} of ${least.toLocaleString('en')} ${name}`];
  });
}
