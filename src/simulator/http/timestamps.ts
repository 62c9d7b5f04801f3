// The service writes times in several ways; here each kind of record uses one of them, so that answers are
// reproducible.

const DAY_MS = 86_400_000;
const PAIRS = Array.from({length: 60}, (_, index) => String(index).padStart(2, '0'));
/** One answer with metrics has thousands of times, nearly all of one day, whose text is kept. */
let latest: {readonly day: number; readonly text: string} = {day: Number.NaN, text: ''};

/** `2026-11-20T08:12:33`: no zone, meaning UTC. Machines, events and usage records. */
export function bareTimestamp(epochMs: number): string {
  const day = Math.floor(epochMs / DAY_MS);
  if (day !== latest.day) latest = {day, text: new Date(epochMs).toISOString().slice(0, 11)};
  const seconds = Math.floor((epochMs - day * DAY_MS) / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${latest.text}${pair(Math.floor(minutes / 60))}:${pair(minutes % 60)}:${pair(seconds % 60)}`;
}

/** `2026-11-20T08:12:33Z`. Users, flavors, environments and images. */
export function zuluTimestamp(epochMs: number): string {
  return `${bareTimestamp(epochMs)}Z`;
}

/** `2026-11-20T08:12:33+00:00`. Organizations and metric rows. */
export function offsetTimestamp(epochMs: number): string {
  return `${bareTimestamp(epochMs)}+00:00`;
}

/** `2026-11-20 08:12:33`: a space in the middle. Billing charts. */
export function spacedTimestamp(epochMs: number): string {
  return bareTimestamp(epochMs).replace('T', ' ');
}

function pair(value: number): string {
  return PAIRS[value] ?? '';
}
