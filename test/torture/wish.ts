import {parseArgs} from 'node:util';
import type {Goal, Share} from './goal.ts';
import {BODIES_GOAL, GOALS} from './goals.ts';
import {bodiesOf} from './hostile-bodies.ts';

export const USAGE = `Runs the program in a hostile environment and compares what it measures with the goals.

Usage: npm run torture -- [options]

Options:
  --list          list the goals
  --only NUMBERS  only these goals, e.g. 6,16
  --body TEXT     only the hostile bodies of goal 16 whose name contains TEXT, without the tests of the goal
  --quick         a part of each goal, enough to see that the measurement works
  --as-built      use dist as it is, without building
  -h, --help      show this help

Goal 16 takes 9 minutes, or 20 s for a body; all goals take hours.
Exits with 1 if a goal is missed, with 2 if the arguments are wrong.`;

export type Wish = {
  readonly goals: readonly Goal[];
  readonly body: string | undefined;
  readonly share: Share;
  readonly isListed: boolean;
  readonly isBuilt: boolean;
};

const OPTIONS = {
  list: {type: 'boolean', default: false},
  only: {type: 'string'},
  body: {type: 'string'},
  quick: {type: 'boolean', default: false},
  'as-built': {type: 'boolean', default: false},
  help: {type: 'boolean', short: 'h', default: false},
} as const;

/** What to do, `help`, or the mistake in the arguments. */
export function readWish(words: readonly string[]): Wish | string {
  const parsed = parse(words);
  if (typeof parsed === 'string') return parsed;
  const {list, body, quick, help, only = body === undefined ? undefined : String(BODIES_GOAL)} = parsed;
  if (help) return 'help';
  const share = quick ? 'quick' : 'whole';
  if (body !== undefined && bodiesOf(share, body).length === 0) return `No hostile body is named "${body}".`;
  const numbers = only?.split(',').map(number => number.trim()) ?? GOALS.map(({number}) => String(number));
  const goals = GOALS.filter(({number}) => numbers.includes(String(number)));
  if (goals.length < numbers.length) return `--only takes numbers from 1 to ${GOALS.length}, e.g. 6,16: not "${only}".`;
  return {goals, body, share, isListed: list, isBuilt: !parsed['as-built']};
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({args: [...words], options: OPTIONS}).values;
  } catch (error) {
    const [mistake] = error instanceof Error ? error.message.split('. ') : [];
    return `${mistake}.`;
  }
}
