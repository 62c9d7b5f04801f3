import {describe, expect, test} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {currentStore} from '../../src/export/current-store.ts';
import {type Feed, feedName} from '../../src/state/feed.ts';
import {createStore} from '../../src/state/store.ts';

const MINUTE = 60_000;
const failure = {kind: 'cut', detail: safeText('reset')} as const;

function feed(key: string, intervalMs: number): Feed<number> {
  return {...feedName(key), intervalMs, read: () => Promise.resolve({ok: true, value: 0})};
}

describe('currentStore', () => {
  const list = feed('list', 10_000);
  const slow = feed('slow', 5 * MINUTE);
  const bill = feed('bill', 10_000);

  function at(now: number, change: (store: ReturnType<typeof createStore>) => void = () => {}) {
    const store = createStore();
    for (const each of [list, slow, bill]) store.writeValue(each, 7, monotonicMs(0));
    change(store);
    return currentStore(store, [list, slow], monotonicMs(now));
  }

  test('keeps a list for five minutes, and one that is read rarely for five of its intervals', () => {
    expect(at(5 * MINUTE).get(list)).toMatchObject({value: 7});
    expect(at(5 * MINUTE + 1).get(list)).toEqual({status: 'waiting'});
    expect(at(25 * MINUTE).get(slow)).toMatchObject({value: 7});
    expect(at(25 * MINUTE + 1).get(slow)).toEqual({status: 'waiting'});
  });

  test('keeps a list of a hundred thousand for fifteen minutes, as reading it takes five', () => {
    const fleet: Feed<{readonly records: readonly number[]}> = {
      ...feedName('fleet'),
      intervalMs: 10_000,
      read: () => Promise.resolve({ok: true, value: {records: []}}),
    };
    const store = createStore();
    store.writeValue(fleet, {records: Array.from({length: 100_000}, (_, index) => index)}, monotonicMs(0));
    const statusAt = (now: number) => currentStore(store, [fleet], monotonicMs(now)).get(fleet).status;
    expect([statusAt(15 * MINUTE), statusAt(15 * MINUTE + 1)]).toEqual(['fresh', 'waiting']);
  });

  test('says why an old list could not be read', () => {
    const store = at(6 * MINUTE, own => own.writeFailure(list, failure, monotonicMs(MINUTE)));
    expect(store.get(list)).toEqual({status: 'failed', failure, failedAt: MINUTE});
  });

  test('keeps any other value however old it is', () => {
    expect(at(90 * MINUTE).get(bill)).toMatchObject({value: 7});
  });
});
