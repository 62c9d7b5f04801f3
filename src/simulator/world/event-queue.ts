/** What is due when: a binary heap ordered by moment, then by order of entry, so equal moments keep their order. */
export type Agenda = {
  readonly schedule: (at: number, run: () => void) => void;
  /** Takes the next entry due at or before the moment. */
  readonly takeDue: (now: number) => Entry | undefined;
};

type Entry = {readonly at: number; readonly order: number; readonly run: () => void};

export function createAgenda(): Agenda {
  const heap: Entry[] = [];
  let entryCount = 0;
  return {
    schedule: (at, run) => {
      entryCount += 1;
      heap.push({at, order: entryCount, run});
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

function siftUp(heap: Entry[], start: number): void {
  let index = start;
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    if (!swapIfEarlier(heap, index, parentIndex)) return;
    index = parentIndex;
  }
}

function siftDown(heap: Entry[]): void {
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

function swapIfEarlier(heap: Entry[], index: number, otherIndex: number): boolean {
  const entry = heap[index];
  const other = heap[otherIndex];
  if (entry === undefined || other === undefined || !isEarlier(entry, other)) return false;
  heap[index] = other;
  heap[otherIndex] = entry;
  return true;
}

function isEarlier(entry: Entry, other: Entry): boolean {
  return entry.at === other.at ? entry.order < other.order : entry.at < other.at;
}
