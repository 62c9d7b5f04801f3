// The service spells moments in several ways; each kind of record here keeps to one, so that answers repeat exactly.

/** `2026-11-20T08:12:33`: no zone, which means UTC. Machines, events and usage records. */
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

/** `2026-11-20 08:12:33`: a space in the middle. Graphs of billing. */
export function spacedTimestamp(epochMs: number): string {
  return bareTimestamp(epochMs).replace('T', ' ');
}
