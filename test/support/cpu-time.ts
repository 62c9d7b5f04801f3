/** Tries that are enough for one of them to be left in peace. */
const TRIES = 3;

/**
 * The processor's time that some work takes, milliseconds: the least of a few tries. Time on the wall counts what other
 * programs do meanwhile, and says nothing about the work on a busy machine.
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
