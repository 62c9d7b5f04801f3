/**
 * Long work in steps of about a millisecond: whoever runs it may do something else between two of them. The result is
 * that of the last step.
 */
export type Steps<T> = Generator<undefined, T>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
