import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {clipboardSequence} from '../../src/terminal/clipboard.ts';

describe('clipboardSequence', () => {
  it('carries the text as base64 of its UTF-8', () => {
    // "gpu-7" and "é" by hand: 67 70 75 2d 37 c3 a9.
    expect(clipboardSequence(safeText('gpu-7é'))).toBe('\u001b]52;c;Z3B1LTfDqQ==\u0007');
  });

  it('lets no text end the sequence early', () => {
    const sequence = clipboardSequence(safeText('a\u0007b\u001b\\c')) ?? '';
    expect(sequence.slice(7, -1)).toMatch(/^[A-Za-z0-9+/=]+$/);
  });

  it('refuses a text of more than 4,096 bytes rather than cutting it', () => {
    expect(clipboardSequence(safeText('x'.repeat(4096)))).toBeDefined();
    expect(clipboardSequence(safeText('é'.repeat(2049)))).toBeUndefined();
  });
});
