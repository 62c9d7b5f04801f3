import {expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {entryLines} from '../../src/panes/timeline/entry-lines.ts';
import {TIMELINE_COLUMNS, type TimelineRow} from '../../src/resources/timeline.ts';
import {aKnownScene, NOW} from './a-known-scene.ts';
import {textsOf} from './a-read-scene.ts';
import {findingEntry} from '../../src/domain/timeline/entry.ts';
import {anEntry, dollarsPerHour, TWO_TEN, vm} from '../domain/timeline/an-entry.ts';
import {THEME} from '../app/a-scene.ts';
import {textOf} from '../../src/ui/text.ts';

it.each([
  ['critical', 'danger'],
  ['warning', 'warning'],
  ['notice', 'strong'],
] as const)('has a %s finding in the colour of its severity', (severity, tone) => {
  const entry = findingEntry(
    {
      rule: 'open-to-world',
      severity,
      subject: vm(3),
      summary: safeText('tcp/22 open to the world'),
      since: TWO_TEN,
      evidence: [],
      advice: safeText('close it'),
      commands: [],
    },
    {risen: undefined},
  );
  const row = {entry, key: 'a', step: undefined, who: undefined, now: NOW};
  const spans = entryLines(aKnownScene({machines: []}), row, 200).flat();
  expect(spans.find(({text}) => text.includes('open to the world'))?.tone).toBe(tone);
});

it.each<[TimelineRow['step'], string]>([
  [undefined, 'suspects are listed only for large steps in the burn rate, and for steps in health'],
  ['health', 'none known'],
])('shows for an entry whose step is %s what is known of suspects', (step, expected) => {
  const row: TimelineRow = {
    entry: {
      key: 'a',
      at: NOW,
      source: 'event',
      alsoFrom: [],
      subjects: [{type: 'vm', id: 7, name: safeText('gpu-7')}],
      what: safeText('a rule was added'),
      changes: [],
      notes: [],
      isTrouble: false,
    },
    key: 'a',
    step,
    who: undefined,
    now: NOW,
  };
  const scene = aKnownScene({machines: []});
  expect(textsOf(entryLines(scene, row, 200))).toContain(expected);
});

it.each([
  ['~+1.00', {rateChange: dollarsPerHour('1'), isEstimated: true}],
  ['-2.50', {rateChange: dollarsPerHour('-2.5')}],
  ['–', {isUnpriced: true}],
  ['', {}],
] as const)('has %j for the change of the burn rate in the list', (expected, rest) => {
  const row: TimelineRow = {entry: anEntry(rest), key: 'a', step: undefined, who: undefined, now: NOW};
  const draw = TIMELINE_COLUMNS.find(({key}) => key === 'cost')?.list?.draw;
  expect(textOf(draw?.(row, 7, THEME) ?? [])).toBe(expected);
});
