import {CONFIRM_BUGS} from './confirm-bugs.ts';
import {CORE_BUGS} from './core-bugs.ts';
import {EVIDENCE_BUGS} from './evidence-bugs.ts';
import {FILE_BUGS} from './file-bugs.ts';
import {WIRE_BUGS} from './wire-bugs.ts';

/** A mistake somebody could make: a small change of one file, and the tests that must not let it pass. */
export type SeededBug = {
  readonly name: string;
  readonly path: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** Each of these is run alone, and at least one has to fail. */
  readonly tests: readonly string[];
  /** Only tests with such a title, where a file has many. */
  readonly title?: string;
};

export const SEEDED_BUGS: readonly SeededBug[] = [
  ...WIRE_BUGS,
  ...CORE_BUGS,
  ...EVIDENCE_BUGS,
  ...CONFIRM_BUGS,
  ...FILE_BUGS,
];
