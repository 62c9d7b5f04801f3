// The service writes times in several ways; here each kind of record uses one of them, so that answers are
// reproducible.

/** `2026-11-20T08:12:33`: no zone, meaning UTC. Machines, events and usage records. */
export function bareTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19);
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
