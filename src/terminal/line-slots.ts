import type {SlotLine} from './frame.ts';

/** The place of one painted line, for as long as the line is mounted. */
type LineSlot = {
  /** The one character that Ink lays out and draws where the line is to stand. */
  readonly placeholder: string;
  readonly show: (line: SlotLine) => void;
  /** Gives the placeholder back; it may stand for another line from then on. */
  readonly close: () => void;
};

/**
 * Painted lines on their way past Ink. Each has a slot with a placeholder of its own, a character of the private-use area,
 * which safe text never holds; the frame reader puts the slot's line where Ink has drawn the placeholder.
 */
export type LineSlots = {
  /** Undefined when there are more lines than any screen has. */
  readonly open: () => LineSlot | undefined;
  readonly lineOf: (placeholder: string) => SlotLine | undefined;
  /** Grows whenever a placeholder means another line than before. */
  readonly version: () => number;
};

const FIRST_PLACEHOLDER = 0xe000;
const PLACEHOLDER_COUNT = 0xf900 - FIRST_PLACEHOLDER;

export function createLineSlots(onChange: () => void = () => undefined): LineSlots {
  const lines = new Map<string, SlotLine>();
  const free: string[] = [];
  let givenCount = 0;
  let version = 0;

  function nextPlaceholder(): string | undefined {
    const returned = free.pop();
    if (returned !== undefined) return returned;
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
          lines.set(placeholder, line);
          version += 1;
          onChange();
        },
        close: () => {
          lines.delete(placeholder);
          free.push(placeholder);
          version += 1;
          onChange();
        },
      };
    },
    lineOf: placeholder => lines.get(placeholder),
    version: () => version,
  };
}
