import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {Query} from '../../src/api/endpoint.ts';
import {under} from '../../src/api/fields.ts';
import {identityOf, type ListPage, pageFacts, type PageRoom, walkPages} from '../../src/api/paging.ts';
import type {Result} from '../../src/domain/failure.ts';

const ASKED = 100;
const paging = {pageParameter: 'page', sizeParameter: 'pageSize', pageSize: ASKED} as const;
const MANY_BYTES = 1_000_000;
const machines = (count: number) => Array.from({length: count}, (_, index) => ({id: index + 1}));

type Envelope = (told: {total: number; size: number; page: number}) => object;
/** What the lists of the interface say about their paging, and less than that. */
const ENVELOPES: Readonly<Record<string, Envelope>> = {
  'count and size': ({total, size, page}) => ({count: total, page, page_size: size}),
  'count alone': ({total}) => ({count: total, page: null, page_size: null}),
  'size alone': ({size}) => ({page_size: size}),
  pagination: ({total, size}) => ({total_count: total, pagination: {per_page: size, pages: Math.ceil(total / size)}}),
  meta: ({total, size, page}) => ({meta: {count: total, current_page: page, total_pages: Math.ceil(total / size)}}),
  'a count one level down': ({total, size, page}) => ({
    history: {total_count: total, pagination: {page, per_page: size, pages: Math.ceil(total / size)}},
  }),
  'pages alone': ({total, size}) => ({pagination: {pages: Math.ceil(total / size)}}),
  nothing: () => ({}),
};

/** The three names of the page size, with the way each part of the service shows where a list ends. */
const DIALECTS = [
  ['pageSize', 'count and size'],
  ['per_page', 'pagination'],
  ['per_page', 'a count one level down'],
  ['page_size', 'meta'],
] as const;

/** A list of the service with pages of `size` whatever is asked, which records the requests. */
function service(rows: readonly unknown[], size: number, envelope: Envelope) {
  const asked: Query[] = [];
  const readPage = (query: Query): Promise<Result<ListPage<unknown>>> => {
    asked.push(query);
    const page = Number(query.page);
    const slice = rows.slice((page - 1) * size, page * size);
    return Promise.resolve({ok: true, value: pageOf({rows: slice, ...envelope({total: rows.length, size, page})})});
  };
  return {asked, readPage};
}

/** A body as a complete page of its rows. */
function pageOf(body: object): ListPage<unknown> {
  const rows = under(body, 'rows') ?? [];
  return {
    taken: rows.map(value => ({identity: identityOf(value), value})),
    facts: pageFacts(body),
    absentParts: [],
    byteCount: JSON.stringify(body).length,
  };
}

const answering = (body: (page: number) => object) => (query: Query) =>
  Promise.resolve({ok: true, value: pageOf(body(Number(query.page)))} as const);

describe('the identity of a record', () => {
  it('is short, however long the record or its id, and different for each record', () => {
    const long = (last: string) => `${'x'.repeat(1_000_000)}${last}`;
    const records = [{id: 1}, {id: long('a')}, {id: long('b')}, {name: long('a')}, {name: long('b')}];
    const identities = records.map(identityOf);
    expect(new Set(identities).size).toBe(5);
    expect(Math.max(...identities.map(({length}) => length))).toBeLessThanOrEqual(64);
  });
});

describe('walkPages', () => {
  it.each(
    Object.entries(ENVELOPES),
  )('reads every record once and in order from a service that gives %s', async (told, envelope) => {
    await fc.assert(
      // When nothing shows the end, many pages of a few records are taken for an endless list.
      fc.asyncProperty(
        fc.nat({max: 350}),
        fc.integer({min: told === 'nothing' ? 10 : 1, max: ASKED}),
        async (count, size) => {
          const {asked, readPage} = service(machines(count), size, envelope);
          expect(await walkPages(paging, {maxBytes: MANY_BYTES}, readPage)).toEqual({
            ok: true,
            value: {taken: machines(count)},
          });
          expect(asked.length).toBeLessThanOrEqual(Math.ceil(count / size) + 1);
        },
      ),
      {numRuns: 40},
    );
  });

  it('takes a short page after many full ones as the end of the list', async () => {
    // 26 pages of ten and one of a single record, from a service that says nothing about its pages.
    const {readPage} = service(machines(261), 10, () => ({}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, readPage)).toEqual({
      ok: true,
      value: {taken: machines(261)},
    });
  });

  it.each(
    DIALECTS,
  )('asks with %s when the service gives %s, whatever identifies the records', async (sizeParameter, told) => {
    const envelope = ENVELOPES[told];
    if (envelope === undefined) throw new Error(`No envelope ${told}.`);
    const naming = fc.constantFrom(
      (number: number): unknown => ({id: number}),
      (number: number): unknown => ({attributes: {id: `uuid-${number}`}}),
      (number: number): unknown => ({name: `bucket-${number}`}),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat({max: 350}), fc.integer({min: 1, max: ASKED}), naming, async (count, size, record) => {
        const rows = Array.from({length: count}, (_, index) => record(index + 1));
        const {asked, readPage} = service(rows, size, envelope);
        const walk = await walkPages({...paging, sizeParameter}, {maxBytes: MANY_BYTES}, readPage);
        expect(walk).toEqual({ok: true, value: {taken: rows}});
        expect(asked.every(query => query[sizeParameter] === ASKED)).toBe(true);
      }),
      {numRuns: 30},
    );
  });

  it.each(Object.keys(ENVELOPES))('stops when pages repeat, from a service that gives %s', async told => {
    const envelope = ENVELOPES[told];
    if (envelope === undefined) throw new Error(`No envelope ${told}.`);
    await fc.assert(
      fc.asyncProperty(fc.integer({min: 1, max: 5}), fc.integer({min: 1, max: ASKED}), async (round, size) => {
        let requests = 0;
        const endless = answering(page => {
          requests += 1;
          const first = ((page - 1) % round) * size;
          const rows = Array.from({length: size}, (_, index) => ({id: first + index + 1}));
          return {rows, ...envelope({total: 10_000, size, page})};
        });
        const walk = await walkPages(paging, {maxBytes: MANY_BYTES}, endless);
        expect(walk.ok && walk.value.taken).toEqual(machines(round * size));
        expect(requests).toBeLessThanOrEqual(round + 1);
      }),
      {numRuns: 30},
    );
  });

  it('sends both paging parameters, and asks for no more pages than the count needs', async () => {
    const {asked, readPage} = service(machines(200), ASKED, ({total, size}) => ({count: total, page_size: size}));
    await walkPages(paging, {maxBytes: MANY_BYTES}, readPage);
    expect(asked).toEqual([
      {page: 1, pageSize: ASKED},
      {page: 2, pageSize: ASKED},
    ]);
  });

  it('asks once when the list has no pages', async () => {
    const {asked, readPage} = service(machines(0), 1, () => ({rows: machines(3)}));
    expect(await walkPages('none', {maxBytes: MANY_BYTES}, readPage)).toEqual({ok: true, value: {taken: machines(3)}});
    expect(asked).toEqual([{}]);
  });

  it('reads the whole list from a service that ignores paging', async () => {
    const whole = answering(() => ({rows: machines(250)}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, whole)).toEqual({ok: true, value: {taken: machines(250)}});
  });

  it('says that the list is incomplete when the pages repeat before the end', async () => {
    const stuck = answering(() => ({rows: machines(ASKED), count: 5000}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, stuck)).toEqual({
      ok: true,
      value: {taken: machines(ASKED), incompleteReason: 'repeated-page', serviceCount: 5000},
    });
    const silent = answering(() => ({rows: machines(ASKED)}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, silent)).toMatchObject({
      value: {incompleteReason: 'repeated-page'},
    });
  });

  it.each([0, 5, 150])('is read to its end whatever is missing from a count of %i', async count => {
    const {asked, readPage} = service(machines(250), ASKED, ({size}) => ({count, page_size: size}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, readPage)).toEqual({
      ok: true,
      value: {taken: machines(250)},
    });
    expect(asked).toHaveLength(3);
  });

  it('says that the list is incomplete when it ends before its count', async () => {
    const short = answering(page => ({rows: page === 1 ? machines(3) : [], count: 5}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, short)).toEqual({
      ok: true,
      value: {taken: machines(3), incompleteReason: 'fewer-than-counted', serviceCount: 5},
    });
  });

  it('says that the list is incomplete when two records of one page have the same id, as either may be right', async () => {
    const [first, second, third] = [{id: 1, name: 'train-01'}, {id: 1, name: 'web'}, {id: 2}];
    const pages = [
      {rows: [first, second], count: 2},
      {rows: [third], count: 2},
      {rows: [], count: 2},
    ];
    const twice = answering(page => pages[page - 1] ?? {rows: []});
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, twice)).toEqual({
      ok: true,
      value: {taken: [second, third], incompleteReason: 'repeated-id', serviceCount: 2, repeatedIds: ['1']},
    });
    // Without an id nobody can mean the one or the other.
    const equal = answering(() => ({rows: [{name: 'web'}, {name: 'web'}], count: 1}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, equal)).toEqual({
      ok: true,
      value: {taken: [{name: 'web'}], incompleteReason: 'repeated-id', serviceCount: 1},
    });
    const moved = answering(page => ({rows: page === 1 ? [first, third] : [second], pages: 2, count: 2}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, moved)).toEqual({ok: true, value: {taken: [first, third]}});
  });

  it('stops at a thousand pages', async () => {
    let requests = 0;
    const endless = answering(page => {
      requests += 1;
      return {rows: machines(10).map(({id}) => ({id: page * 10 + id}))};
    });
    const walk = await walkPages(paging, {maxBytes: MANY_BYTES}, endless);
    expect(walk).toMatchObject({value: {incompleteReason: 'page-limit'}});
    expect(requests).toBe(1000);
  });

  it.each([
    [20, {}],
    [20, {count: 1_000_000}],
    [20, {count: 1_000_000_000, page_size: 1}],
    [20, {count: 1_000_000_000, page_size: 100}],
    [20, {count: 1_000_000_000, pages: 1_000_000_000}],
    [30, {count: 30, page_size: 1}],
    [30, {count: 30}],
  ])('asks for %i pages of one record when the service gives %j', async (most, told) => {
    let requests = 0;
    const poor = answering(page => {
      requests += 1;
      return {rows: [{id: page}], ...told};
    });
    const walk = await walkPages(paging, {maxBytes: MANY_BYTES}, poor);
    expect(requests).toBe(most);
    expect(walk.ok && walk.value.incompleteReason).toBe(most === 20 ? 'page-limit' : undefined);
  });

  it('stops at twenty thousand records', async () => {
    const endless = answering(page => ({rows: machines(ASKED).map(({id}) => ({id: page * ASKED + id}))}));
    const walk = await walkPages(paging, {maxBytes: MANY_BYTES}, endless);
    expect(walk).toMatchObject({value: {incompleteReason: 'record-limit'}});
    expect(walk.ok && walk.value.taken).toHaveLength(20_000);
  });

  it('stops at a limit that the caller sets, and says how many the service counts', async () => {
    const {readPage} = service(machines(200), ASKED, ({total, size}) => ({count: total, page_size: size}));
    const walk = await walkPages(paging, {maxBytes: MANY_BYTES, maxRecords: 120}, readPage);
    expect(walk).toEqual({
      ok: true,
      value: {taken: machines(120), incompleteReason: 'record-limit', serviceCount: 200},
    });
  });

  it('passes each page the room that is left, and ends with a page that was cut', async () => {
    const rooms: PageRoom[] = [];
    const walk = await walkPages(paging, {maxBytes: 1000}, (query, room) => {
      rooms.push(room);
      const page = Number(query.page);
      const taken = [{identity: `id ${page}`, value: page}];
      const whole = {taken, facts: {}, absentParts: [], byteCount: 300};
      return Promise.resolve({ok: true, value: page < 4 ? whole : {...whole, isCutBy: 'size-limit'}});
    });
    expect(walk).toEqual({ok: true, value: {taken: [1, 2, 3, 4], incompleteReason: 'size-limit'}});
    expect(rooms).toEqual([
      {recordCount: 20_000, byteCount: 1000},
      {recordCount: 20_000, byteCount: 700},
      {recordCount: 20_000, byteCount: 400},
      {recordCount: 20_000, byteCount: 100},
    ]);
  });

  it('takes the newer form of a record found twice, in its first place', async () => {
    const moving = answering(page => ({
      rows: page === 1 ? [{id: 1}, {id: 2, name: 'old'}] : page === 2 ? [{id: 2, name: 'new'}, {id: 3}] : [],
      count: 3,
    }));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, moving)).toEqual({
      ok: true,
      value: {taken: [{id: 1}, {id: 2, name: 'new'}, {id: 3}]},
    });
  });

  it.each([
    ['counts both', 4],
    ['counts nothing', undefined],
  ] as const)('reports an id that two records on two pages have, from a service that %s', async (_what, count) => {
    const pages = [
      [{id: 1}, {id: 7, name: 'train-01'}],
      [{id: 7, name: 'web'}, {id: 3}],
    ];
    const twice = answering(page => ({rows: pages[page - 1] ?? [], ...(count === undefined ? {} : {count})}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, twice)).toEqual({
      ok: true,
      value: {
        taken: [{id: 1}, {id: 7, name: 'web'}, {id: 3}],
        incompleteReason: 'repeated-id',
        repeatedIds: ['7'],
        ...(count === undefined ? {} : {serviceCount: count}),
      },
    });
  });

  it('gives an id that two records have only in the form in which it can be shown', async () => {
    const pages = [
      [{id: 'a'}, {id: 'gpu\u001b[2J', name: 'train-01'}],
      [{id: 'gpu\u001b[2J', name: 'web'}, {id: 'b'}],
    ];
    const twice = answering(page => ({rows: pages[page - 1] ?? [], count: 4}));
    const walk = await walkPages(paging, {maxBytes: MANY_BYTES}, twice);
    expect(walk).toMatchObject({value: {repeatedIds: ['gpu\u241b[2J']}});
  });

  it.each([
    ['is on two pages unchanged', 'train-01', 4, 'fewer-than-counted'],
    ['is on two pages unchanged, without a count', 'train-01', undefined, undefined],
    ['changed while its list shifted, as the count shows', 'web', 3, undefined],
  ] as const)('reports no double id for a record that %s', async (_what, name, count, incompleteReason) => {
    const pages = [
      [{id: 1}, {id: 7, name: 'train-01'}],
      [{id: 7, name}, {id: 3}],
    ];
    const shifted = answering(page => ({rows: pages[page - 1] ?? [], ...(count === undefined ? {} : {count})}));
    const walk = await walkPages(paging, {maxBytes: MANY_BYTES}, shifted);
    expect(walk).toEqual({
      ok: true,
      value: {
        taken: [{id: 1}, {id: 7, name}, {id: 3}],
        ...(incompleteReason === undefined ? {} : {incompleteReason, serviceCount: count}),
      },
    });
  });

  it('reports no double id when the only page comes again with a record that has changed', async () => {
    const again = answering(page => ({rows: [{id: 1}, {id: 7, status: page === 1 ? 'STOPPING' : 'SHUTOFF'}]}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, again)).toEqual({
      ok: true,
      value: {taken: [{id: 1}, {id: 7, status: 'SHUTOFF'}]},
    });
  });

  it('ends even when no record has an id', async () => {
    const nameless = answering(() => ({rows: [null, {name: 'x'}, 'text'], page_size: 3}));
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, nameless)).toMatchObject({
      value: {taken: [null, {name: 'x'}, 'text']},
    });
  });

  it('fails as a whole when one page fails', async () => {
    const failure = {kind: 'service-error', httpStatus: 500, message: ''} as const;
    const failing = (query: Query) =>
      Promise.resolve(
        query.page === 1
          ? ({ok: true, value: pageOf({rows: machines(5), count: 9})} as const)
          : ({ok: false, failure} as never),
      );
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, failing)).toEqual({ok: false, failure});
  });

  const notThere = {kind: 'not-found', message: ''} as const;
  const notAcceptable = {kind: 'refused', httpStatus: 406, reason: '', message: ''} as const;
  const endingIn = (failure: object, body: object) => (query: Query) =>
    Promise.resolve(query.page === 1 ? ({ok: true, value: pageOf(body)} as const) : ({ok: false, failure} as never));

  it.each([
    notThere,
    notAcceptable,
  ])('ends at a page that does not exist, if nothing told how many there are: %j', async failure => {
    const readPage = endingIn(failure, {rows: machines(5)});
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, readPage)).toEqual({ok: true, value: {taken: machines(5)}});
  });

  it('fails when a page that must exist does not', async () => {
    for (const told of [{count: 9}, {pagination: {pages: 2}}]) {
      const readPage = endingIn(notThere, {rows: machines(5), ...told});
      expect(await walkPages(paging, {maxBytes: MANY_BYTES}, readPage)).toEqual({ok: false, failure: notThere});
    }
    const none = () => Promise.resolve({ok: false, failure: notThere} as never);
    expect(await walkPages(paging, {maxBytes: MANY_BYTES}, none)).toEqual({ok: false, failure: notThere});
  });

  it('does not end by a total that may count groups of records', async () => {
    const pages = [machines(5), machines(8).slice(5), []];
    const readPage = answering(page => ({rows: pages[page - 1] ?? [], count: 2}));
    const walk = await walkPages({...paging, countsGroups: true}, {maxBytes: MANY_BYTES}, readPage);
    expect(walk).toEqual({ok: true, value: {taken: machines(8)}});
  });

  it('does not end by a page size that counts groups, of which some are empty', async () => {
    const pages = [machines(5), machines(8).slice(5), []];
    const readPage = answering(page => ({rows: pages[page - 1] ?? [], count: 9, page_size: 6}));
    const walk = await walkPages({...paging, countsGroups: true}, {maxBytes: MANY_BYTES}, readPage);
    expect(walk).toEqual({ok: true, value: {taken: machines(8)}});
  });
});
