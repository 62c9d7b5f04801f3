/** Scheduled events: a binary heap ordered by moment, then by order of entry, so equal moments keep their order. */
export type EventQueue = {
  readonly schedule: (at: number, run: () => void) => void;
  /** Removes the next event due at or before the moment. */
  readonly takeDue: (now: number) => QueuedEvent | undefined;
};

type QueuedEvent = {readonly at: number; readonly order: number; readonly run: () => void};

export function createEventQueue(): EventQueue {
  const heap: QueuedEvent[] = [];
  let eventCount = 0;
  return {
    schedule: (at, run) => {
      eventCount += 1;
      heap.push({at, order: eventCount, run});
      siftUp(heap, heap.length - 1);
    },
    takeDue: now => {
      const first = heap[0];
      if (first === undefined || first.at > now) return undefined;
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) {
        heap[0] = last;
        siftDown(heap);
      }
      return first;
    },
  };
}

function siftUp(heap: QueuedEvent[], start: number): void {
  let index = start;
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    if (!swapIfEarlier(heap, index, parentIndex)) return;
    index = parentIndex;
  }
}

function siftDown(heap: QueuedEvent[]): void {
  let index = 0;
  for (;;) {
    const left = heap[index * 2 + 1];
    const right = heap[index * 2 + 2];
    if (left === undefined) return;
    const childIndex = right !== undefined && isEarlier(right, left) ? index * 2 + 2 : index * 2 + 1;
    if (!swapIfEarlier(heap, childIndex, index)) return;
    index = childIndex;
  }
}

function swapIfEarlier(heap: QueuedEvent[], index: number, otherIndex: number): boolean {
  const event = heap[index];
  const other = heap[otherIndex];
  if (event === undefined || other === undefined || !isEarlier(event, other)) return false;
  heap[index] = other;
  heap[otherIndex] = event;
  return true;
}

function isEarlier(event: QueuedEvent, other: QueuedEvent): boolean {
  return event.at === other.at ? event.order < other.order : event.at < other.at;
}
