import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {createRequestBudget, type RequestPurpose} from '../../../src/state/poller/request-budget.ts';
import {createVirtualClock} from '../../support/clock.ts';

const CEILING = 100;
const FOR_READS = 80;

type Admission = {readonly asked: number; readonly purpose: RequestPurpose; readonly at: number};

function openBudget() {
  const time = createVirtualClock();
  const budget = createRequestBudget(time.clock);
  const admissions: Admission[] = [];
  let askedCount = 0;

  function ask(purpose: RequestPurpose): void {
    askedCount += 1;
    const asked = askedCount;
    void budget.admit(purpose).then(() => admissions.push({asked, purpose, at: time.clock.monotonicNow()}));
  }

  return {time, budget, admissions, ask};
}

/** The most requests in any sixty seconds, each window beginning with a request. */
function busiestMinute(moments: readonly number[]): number {
  return Math.max(
    0,
    ...moments.map(start => moments.filter(moment => moment >= start && moment < start + 60_000).length),
  );
}

describe('createRequestBudget', () => {
  it('admits 80 reads at once and makes the next wait until the first is sixty seconds old', async () => {
    const {time, admissions, ask} = openBudget();
    for (let count = 0; count < 81; count += 1) ask('read');
    await time.advance(59_999);
    expect(admissions).toHaveLength(FOR_READS);
    await time.advance(1);
    expect(admissions.map(({at}) => at)).toEqual([...Array(80).fill(0), 60_000]);
  });

  it('remembers the last minute when the clock of the host is set forward, which looks like sleep', async () => {
    const {time, admissions, ask, budget} = openBudget();
    for (let count = 0; count < 81; count += 1) ask('read');
    await time.advance(10_000);
    time.sleep(60 * 60_000);
    ask('read');
    expect(budget.usedLastMinute()).toBe(FOR_READS);
    expect([budget.hasRoom('read'), budget.waitFor('read')]).toEqual([false, 50_000]);
    await time.advance(49_999);
    expect(admissions).toHaveLength(FOR_READS);
    await time.advance(1);
    expect(admissions).toHaveLength(FOR_READS + 2);
  });

  it('reserves twenty requests for operations, which go before waiting reads', async () => {
    const {time, admissions, ask, budget} = openBudget();
    for (let count = 0; count < 90; count += 1) ask('read');
    expect([budget.hasRoom('read'), budget.hasRoom('operation')]).toEqual([false, true]);
    for (let count = 0; count < 20; count += 1) ask('operation');
    await time.advance(0);
    expect(admissions.filter(({purpose}) => purpose === 'operation')).toHaveLength(20);
    expect(budget.usedLastMinute()).toBe(CEILING);
    expect(budget.hasRoom('operation')).toBe(false);
  });

  it('says how long requests of a purpose have to wait', async () => {
    const {time, ask, budget} = openBudget();
    for (let count = 0; count < 70; count += 1) ask('read');
    await time.advance(10_000);
    for (let count = 0; count < 30; count += 1) ask('operation');
    await time.advance(5000);
    // The first seventy leave the minute in 45 s, the others 10 s later.
    const waits = [budget.waitFor('operation'), budget.waitFor('operation', 70), budget.waitFor('operation', 71)];
    expect(waits).toEqual([45_000, 45_000, 55_000]);
    expect(budget.waitFor('read', 1)).toBe(45_000);
    await time.advance(45_000);
    expect(budget.waitFor('operation')).toBe(0);
  });

  it('keeps another twenty requests free from background reads', () => {
    const {budget, ask} = openBudget();
    for (let count = 0; count < 59; count += 1) ask('read');
    expect([budget.hasRoom('background'), budget.hasRoom('background', 2)]).toEqual([true, false]);
    ask('read');
    expect([budget.hasRoom('background'), budget.hasRoom('read', 20)]).toEqual([false, true]);
  });

  it('lets a waiting operation go before all waiting reads, as soon as a request is a minute old', async () => {
    const {time, admissions, ask} = openBudget();
    for (let count = 0; count < 90; count += 1) ask('read');
    for (let count = 0; count < 20; count += 1) ask('operation');
    await time.advance(30_000);
    ask('operation');
    await time.advance(29_999);
    expect(admissions).toHaveLength(CEILING);
    await time.advance(1);
    expect(admissions[CEILING]).toMatchObject({purpose: 'operation', at: 60_000});
  });

  it('lets a waiting operation go as soon as one request fits, even if reads do not fit yet', async () => {
    const {time, admissions, ask} = openBudget();
    ask('operation');
    await time.advance(1000);
    for (let count = 0; count < 81; count += 1) ask('read');
    for (let count = 0; count < 21; count += 1) ask('operation');
    await time.advance(58_999);
    expect(admissions).toHaveLength(CEILING);
    await time.advance(1);
    // 99 requests of the last minute are left: one operation fits, but no read.
    expect(admissions.slice(CEILING)).toMatchObject([{purpose: 'operation', at: 60_000}]);
  });

  it('lets twenty list pages go at once, then one every two seconds, and lets reads pass waiting pages', async () => {
    const {time, admissions, ask} = openBudget();
    for (let count = 0; count < 23; count += 1) ask('page');
    ask('read');
    await time.advance(6000);
    const momentsOf = (wanted: RequestPurpose) =>
      admissions.filter(({purpose}) => purpose === wanted).map(({at}) => at);
    expect(momentsOf('page')).toEqual([...Array(20).fill(0), 2000, 4000, 6000]);
    expect(momentsOf('read')).toEqual([0]);
    await time.advance(20_000);
    for (let count = 0; count < 12; count += 1) ask('page');
    await time.advance(0);
    // Ten idle intervals allow ten pages at once.
    expect(momentsOf('page').filter(at => at === 26_000)).toHaveLength(10);
  });

  it('says whether there is room for several requests together', () => {
    const {budget, ask} = openBudget();
    for (let count = 0; count < 80; count += 1) ask('read');
    for (let count = 0; count < 17; count += 1) ask('operation');
    expect([1, 2, 3, 4].map(count => budget.hasRoom('operation', count))).toEqual([true, true, true, false]);
  });

  it('counts the requests of the last sixty seconds and no others', async () => {
    const {time, budget, ask} = openBudget();
    ask('read');
    await time.advance(30_000);
    ask('operation');
    expect(budget.usedLastMinute()).toBe(2);
    await time.advance(30_000);
    expect(budget.usedLastMinute()).toBe(1);
    await time.advance(30_000);
    expect(budget.usedLastMinute()).toBe(0);
    expect(budget.ceilingPerMinute).toBe(CEILING);
  });

  it('lets no read overtake waiting ones, even at the very moment there is room again', async () => {
    const {time, admissions, ask} = openBudget();
    // Set first, so that it runs before the timer of the waiting reads.
    time.clock.after(60_000, () => ask('read'));
    for (let count = 0; count < 161; count += 1) ask('read');
    await time.advance(120_000);
    expect(admissions.map(({asked}) => asked)).toEqual(Array.from({length: 162}, (_, index) => index + 1));
    expect(admissions.slice(160).map(({at}) => at)).toEqual([120_000, 120_000]);
  });

  it('leaves no timer once nothing waits', async () => {
    const {time, ask} = openBudget();
    for (let count = 0; count < 200; count += 1) ask('read');
    await time.advance(180_000);
    expect(time.pendingCount()).toBe(0);
  });

  it('never exceeds a hundred in any minute, nor eighty for reads, and serves waiting reads in their order', async () => {
    const step = fc.record({
      pauseMs: fc.integer({min: 0, max: 20_000}),
      reads: fc.integer({min: 0, max: 60}),
      operations: fc.integer({min: 0, max: 30}),
      pages: fc.integer({min: 0, max: 30}),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, {maxLength: 12}), async steps => {
        const {time, admissions, ask} = openBudget();
        for (const {pauseMs, reads, operations, pages} of steps) {
          await time.advance(pauseMs);
          for (let count = 0; count < reads; count += 1) ask('read');
          for (let count = 0; count < operations; count += 1) ask('operation');
          for (let count = 0; count < pages; count += 1) ask('page');
        }
        await time.advance(40 * 60_000);
        const asked = steps.reduce((sum, {reads, operations, pages}) => sum + reads + operations + pages, 0);
        expect(admissions).toHaveLength(asked);
        expect(busiestMinute(admissions.map(({at}) => at))).toBeLessThanOrEqual(CEILING);
        const reads = admissions.filter(({purpose}) => purpose === 'read');
        const withPages = admissions.filter(({purpose}) => purpose !== 'operation');
        expect(busiestMinute(withPages.map(({at}) => at))).toBeLessThanOrEqual(FOR_READS);
        const pages = admissions.filter(({purpose}) => purpose === 'page');
        expect(busiestMinute(pages.map(({at}) => at))).toBeLessThanOrEqual(50);
        expect(reads.map(read => read.asked)).toEqual(reads.map(read => read.asked).sort((a, b) => a - b));
      }),
      {numRuns: 30},
    );
  });
});
