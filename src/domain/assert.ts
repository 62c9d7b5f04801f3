/** Throws on a programming error; errors of the service or the user are `Failure` values. */
export function assert(condition: boolean, mistake: string): asserts condition {
  if (!condition) throw new Error(`A mistake in skydeck itself: ${mistake}`);
}

/** Ends a switch over a union: a new member without a case does not compile. */
export function unreachable(value: never): never {
  throw new Error(`A mistake in skydeck itself: unexpected ${String(value)}`);
}
