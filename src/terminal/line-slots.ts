import type {SlotLine} from './frame.ts';

/** The place of one painted line, for as long as the line is mounted. */
type LineSlot = {
  /** The single character that Ink lays out where the line will appear. */
  readonly placeholder: string;
  /** Takes the placeholder back if it was released, which is possible until the next slot is opened. */
  readonly show: (line: SlotLine) => void;
  /** Releases the placeholder, which may then represent another line. */
  readonly close: () => void;
};

/**
 * Painted lines on their way past Ink. Each has a placeholder, a character of the private-use area that safe text never
 * contains; the frame reader replaces it with the line.
 */
export type LineSlots = {
  /** Undefined if there are more lines than any screen has. */
  readonly open: () => LineSlot | undefined;
  readonly lineOf: (placeholder: string) => SlotLine | undefined;
  /** Grows whenever a placeholder comes to represent another line. */
  readonly version: () => number;
};

const FIRST_PLACEHOLDER = 0xe000;
const PLACEHOLDER_COUNT = 0xf900 - FIRST_PLACEHOLDER;

export function createLineSlots(onChange: () => void = () => undefined): LineSlots {
  const lines = new Map<string, SlotLine>();
  const free = new Set<string>();
  let givenCount = 0;
  let version = 0;

  function nextPlaceholder(): string | undefined {
    const [returned] = free;
    if (returned !== undefined) {
      free.delete(returned);
      return returned;
    }
    if (givenCount === PLACEHOLDER_COUNT) return undefined;
    givenCount += 1;
    return String.fromCharCode(FIRST_PLACEHOLDER + givenCount - 1);
  }

  return {
    open: () => {
      const placeholder = nextPlaceholder();
      if (placeholder === undefined) return undefined;
      return {
        placeholder,
        show: line => {
          free.delete(placeholder);
          lines.set(placeholder, line);
          version += 1;
          onChange();
        },
        close: () => {
          lines.delete(placeholder);
          free.add(placeholder);
          version += 1;
          onChange();
        },
      };
    },
    lineOf: placeholder => lines.get(placeholder),
    version: () => version,
  };
}
