/** With this many attempts, one of them is not disturbed by other programs. */
const TRIES = 3;

/**
 * The processor time of some work in milliseconds, the least of a few attempts. Elapsed time would include what other
 * programs do meanwhile, and on a busy machine says nothing about the work.
 */
export function cpuMsOf(work: () => void): number {
  const taken = Array.from({length: TRIES}, () => {
    const before = process.cpuUsage();
    work();
    const {user, system} = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...taken);
}
