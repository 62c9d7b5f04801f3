import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, monotonicMs} from '../../src/domain/time.ts';
import {field, foldedLines, missingField, missingLine, momentText, wrappedField} from '../../src/resources/detail.ts';
import {regionsFeed} from '../../src/state/catalogue.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';
import {NOW} from './a-known-scene.ts';
import {aReadScene, failing, textsOf} from './a-read-scene.ts';

describe('field', () => {
  it('shows a value that the service did not give as unknown, dimmed', () => {
    expect(textOf(field('region', undefined))).toBe('region          –');
    expect(field('region', undefined).at(-1)?.tone).toBe('dim');
    expect(textOf(field('region', 'US-1'))).toBe('region          US-1');
  });
});

describe('foldedLines', () => {
  it('folds a field below its value, other text from the edge, and leaves what fits', () => {
    const lines = [
      field('used', 'one two three four'),
      field('id', '7'),
      [{text: 'of a unit, such as a vCPU or a GB of RAM'}],
    ];
    expect(foldedLines(lines, 32).map(textOf)).toEqual([
      'used            one two three',
      '                four',
      'id              7',
      'of a unit, such as a vCPU or a',
      'GB of RAM',
    ]);
  });
});

describe('wrappedField', () => {
  it('folds a long text below its own start, and splits a word that is wider than the room', () => {
    const lines = wrappedField('labels', 'one two three four fivesixseveneight', 26);
    // Sixteen cells of label leave ten.
    expect(lines.map(textOf)).toEqual([
      'labels          one two',
      '                three four',
      '                fivesixsev',
      '                eneight',
    ]);
    for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(26);
  });
});

describe('momentText', () => {
  it('gives the time and its age, and says when it is in the future', () => {
    expect(momentText(epochMs(NOW - 3 * DAY_MS), NOW)).toBe('2026-11-17 20:58:12Z  3d ago');
    expect(momentText(epochMs(NOW + DAY_MS), NOW)).toBe('2026-11-21 20:58:12Z  in the future');
    expect(momentText(undefined, NOW)).toBeUndefined();
  });
});

const DOWN = {
  status: 'down',
  since: monotonicMs(0),
  retryAt: monotonicMs(0),
  attemptCount: 1,
  goodAnswerCount: 0,
} as const;

describe('missingField', () => {
  it('distinguishes what is being read from what failed, and says why', () => {
    const scene = aReadScene([]);
    expect(textsOf(missingField(scene, regionsFeed, 'room', 80))).toContain('being read');
    const waiting = {...scene, budgetWait: () => 11_200};
    expect(textsOf(missingField(waiting, regionsFeed, 'room', 80))).toContain(
      'waits for the request budget, about 12 s',
    );
    const down = {...scene, health: {...DOWN, failure: {kind: 'not-sent', detail: safeText('refused')} as const}};
    expect(textsOf(missingField(down, regionsFeed, 'room', 80))).toContain('not read: link down');
    expect(textsOf([missingLine(down, regionsFeed, 'regions')])).toBe(' regions: not read: link down');
    const failure = {kind: 'service-error', httpStatus: 503, message: safeText('busy')} as const;
    const broken = {...scene, health: {...DOWN, failure}};
    expect(textsOf([missingLine(broken, regionsFeed, 'regions')])).toBe(' regions: not read: service failing');
    expect(textsOf(missingField(failing(scene, regionsFeed), regionsFeed, 'room', 80))).toMatch(/unknown: .*reset/);
  });

  it('says of a refused key only that, since the status bar has the words of the service', () => {
    const refused = {
      kind: 'not-authorised',
      httpStatus: 401,
      message: safeText('the api_key names no valid key'),
    } as const;
    const scene = failing(aReadScene([]), regionsFeed, refused);
    expect(textsOf([missingLine(scene, regionsFeed, 'regions')])).toBe(
      ' regions unknown: the key or its role is not accepted',
    );
    expect(textsOf(missingField(scene, regionsFeed, 'room', 80))).toContain(
      'unknown: the key or its role is not accepted',
    );
  });
});
