import fc from 'fast-check';
import {createElement} from 'react';
import {describe, expect, it, onTestFinished} from 'vitest';
import {SECOND_MS} from '../../src/domain/time.ts';
import {wireExample} from '../api/wire-example.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {shownLines} from '../support/shown-lines.ts';
import {sweepOf} from '../support/tier.ts';
import {type IdleDeck, openIdleDeck} from './idle-deck.ts';
import {anyMutation, mutated} from './mutations.ts';
import {clientOf, PARAMETERS, READS} from './one-answer.ts';

const ANSWERS = sweepOf({sample: 500, deep: 20_000, whole: 100_000});
const DECKS = sweepOf({sample: 1, deep: 40, whole: 400});
const PATIENT = {timeout: 60 * 60_000};
const PANES = ['1', '2', '3', '4', '5', '6', '7', '8', '0'];
const MACHINE_COUNT = 20;

describe('a mutated answer', PATIENT, () => {
  it('is read or reported as a failure, and breaks nothing', async () => {
    const ends = {read: 0, failed: 0};
    const perEndpoint = Math.ceil(ANSWERS / READS.length);
    for (const endpoint of READS) {
      const example: unknown = JSON.parse(wireExample(endpoint.id));
      await fc.assert(
        fc.asyncProperty(anyMutation, async mutations => {
          const read = await clientOf({body: mutated(example, mutations)}).read(endpoint, PARAMETERS);
          ends[read.ok ? 'read' : 'failed'] += 1;
          // The fields of a quarantined record are named, so that it can be counted on the screen.
          if (read.ok) expect(read.value.quarantined.every(({fields}) => fields.length > 0)).toBe(true);
        }),
        {numRuns: perEndpoint, seed: 15},
      );
    }
    reportCounted('mutated answers', ends.read + ends.failed);
    reportMeasured(`${ends.read + ends.failed} answers: ${ends.read} read, ${ends.failed} told as failures`);
    expect(Math.min(ends.read, ends.failed)).toBeGreaterThan(ANSWERS / 100);
  });

  it('leaves no pane of the deck blank, and starts no operation', async () => {
    const changes = fc.sample(anyMutation, {numRuns: DECKS * PANES.length * 10, seed: 16});
    for (let count = 1; count <= DECKS; count += 1) {
      const idle = openIdleDeck({vmCount: MACHINE_COUNT, seed: count});
      onTestFinished(idle.close);
      let at = count * 37;
      idle.cloud.setMishaps(sent => {
        if (sent.isOperation) return undefined;
        at += 1;
        const changing = changes[at % changes.length] ?? [];
        // Half of them stay unchanged, so that there is data to lose.
        return at % 2 === 0
          ? undefined
          : {kind: 'instead', isExecuted: true, reply: own => ({body: mutatedText(own.body, changing)})};
      });
      for (const key of PANES) {
        idle.press(key);
        await idle.pass(3 * SECOND_MS);
        for (const pressed of ['', 'j', 'enter', 'tab', 'esc']) {
          if (pressed !== '') idle.press(pressed);
          expect(
            wordsIn(idle, {isDetail: pressed === 'enter'}),
            `seed ${count}, pane ${key}, after ${pressed}`,
          ).not.toEqual([]);
        }
      }
      expect(idle.cloud.sent.filter(({isOperation}) => isOperation)).toEqual([]);
      idle.close();
    }
    reportMeasured(`${DECKS} decks over a cloud whose answers are changed`);
  });

  it('keeps the last complete list when a page cannot be read, and hides one row for one bad record', async () => {
    const idle = openIdleDeck({vmCount: MACHINE_COUNT});
    onTestFinished(idle.close);
    const rows = () => idle.deck.pane().table(idle.deck.scene()).rows.length;
    idle.press('2');
    await idle.pass(20 * SECOND_MS);
    expect(rows()).toBe(MACHINE_COUNT);
    idle.cloud.setMishaps(({path}) =>
      path === '/core/virtual-machines'
        ? {kind: 'instead', isExecuted: true, reply: own => ({body: own.body.slice(0, -10)})}
        : undefined,
    );
    await idle.pass(30 * SECOND_MS);
    expect(rows()).toBe(MACHINE_COUNT);
    idle.cloud.setMishaps(({path}) =>
      path === '/core/virtual-machines'
        ? {kind: 'instead', isExecuted: true, reply: own => ({body: own.body.replace(/"id":\d+/, '"id":"none"')})}
        : undefined,
    );
    // A machine that is missing from two lists is gone: the first comes 65 s after the recovery at the latest.
    await idle.pass(75 * SECOND_MS);
    expect(rows()).toBe(MACHINE_COUNT - 1);
  });
});

/** The words inside the pane as it is drawn, below the title in its frame and, in a list, the names of its columns. */
function wordsIn({deck}: IdleDeck, {isDetail}: {readonly isDetail: boolean}): readonly string[] {
  const lines = shownLines(createElement(deck.pane().Screen, {scene: deck.scene()}), 120);
  return lines.slice(isDetail ? 1 : 2).flatMap(line => line.match(/\p{L}{2,}/gu) ?? []);
}

function mutatedText(body: string, mutations: Parameters<typeof mutated>[1]): string {
  try {
    return mutated(JSON.parse(body), mutations);
  } catch {
    return body;
  }
}
