/** Counts every request of everyone together, by the minutes of the wall clock. */
export type RateLimit = {
  /** Counts one request and says whether it is over the limit; the service then refuses until the minute ends. */
  readonly isExceeded: (wallNow: number) => boolean;
};

const MINUTE_MS = 60_000;

export function createRateLimit(perMinute: number | 'off'): RateLimit {
  let minute = Number.NaN;
  let requestCount = 0;
  return {
    isExceeded: wallNow => {
      if (perMinute === 'off') return false;
      const wallMinute = Math.floor(wallNow / MINUTE_MS);
      if (wallMinute !== minute) {
        minute = wallMinute;
        requestCount = 0;
      }
      requestCount += 1;
      return requestCount > perMinute;
    },
  };
}
