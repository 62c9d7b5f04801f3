let failedCount = 0;
let checkedCount = 0;

export function step(name: string): void {
  console.log(`\n${name}`);
}

export function check(what: string, isMet: boolean, detail = ''): void {
  checkedCount += 1;
  if (!isMet) failedCount += 1;
  console.log(`  ${isMet ? 'ok    ' : 'FAILED'} ${what}${isMet || detail === '' ? '' : `\n${detail}`}`);
}

export function checkEqual(what: string, found: unknown, expected: unknown): void {
  const isEqual = Object.is(found, expected);
  const value = isEqual && typeof found === 'number' ? `: ${found}` : '';
  check(`${what}${value}`, isEqual, `found    ${String(found)}\nexpected ${String(expected)}`);
}

/** Prints the result, and sets exit code 1 if a check failed. */
export function finish(): void {
  console.log(`\n${checkedCount - failedCount} of ${checkedCount} checks passed`);
  process.exitCode = failedCount === 0 ? 0 : 1;
}
