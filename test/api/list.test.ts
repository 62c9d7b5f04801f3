import type {ServerResponse} from 'node:http';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {describe, expect, it, vi} from 'vitest';
import {AnswerMemory} from '../../src/api/answer-memory.ts';
import {usage} from '../../src/api/billing.ts';
import type {ClientOptions} from '../../src/api/client.ts';
import {console as machineConsole} from '../../src/api/machine-jobs.ts';
import {listVirtualMachines, virtualMachineMetrics} from '../../src/api/virtual-machines.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {openClients, openServer} from './loopback.ts';
import {wireExample} from './wire-example.ts';

const MIB = 1024 * 1024;
/** What the service may have sent beyond what was read, as it is in buffers. */
const ON_THE_WAY_BYTES = 16 * MIB;
const LETTERS = 'x'.repeat(64 * 1024);
const NAME = 'x'.repeat(1000);
const machine = (id: number, name = NAME) => JSON.stringify({id, name});
const numbersTo = (count: number) => Array.from({length: count}, (_, index) => index + 1);
const machines = (count: number) => listOf(numbersTo(count).map(id => machine(id)));

function listOf(records: readonly string[], rest = ''): Iterable<string> {
  return [`{"instances":[${records.join(',')}]${rest}}`];
}

function* endless(first: string, round: string): Generator<string> {
  yield first;
  for (;;) yield round;
}

/** A service that answers as fast as its text is read, and counts for each request what it could send. */
async function openService(
  answer: (page: number) => Iterable<string>,
  options: Pick<ClientOptions, 'maxListBytes' | 'maxListRecords' | 'streamedBounds'> = {},
) {
  const sent: number[] = [];
  const server = await openServer((request, response) => {
    const index = sent.push(0) - 1;
    const page = Number(/page=(\d+)/.exec(request.url ?? '')?.[1]);
    void send(response, answer(page), length => {
      sent[index] = (sent[index] ?? 0) + length;
    });
  });
  return {...openClients(server.baseUrl, options), sent};
}

async function send(response: ServerResponse, parts: Iterable<string>, count: (length: number) => void): Promise<void> {
  function* counted() {
    for (const part of parts) {
      count(part.length);
      yield part;
    }
  }
  // A client that closes the connection early has read enough.
  await pipeline(Readable.from(counted()), response).catch(() => {});
}

/** The list of machines, and how many records of it were parsed. */
function countingParses() {
  const parsed = {count: 0};
  const record: typeof listVirtualMachines.record = raw => {
    parsed.count += 1;
    return listVirtualMachines.record(raw);
  };
  return {list: {...listVirtualMachines, record}, parsed};
}

describe('a long list', () => {
  it('is read completely from a service that ignores pages', async () => {
    const {reads, sent} = await openService(() => listOf(numbersTo(18_000).map(id => machine(id, ''))));
    const read = await reads.read(listVirtualMachines, {});
    expect(read.ok && read.value.records.map(({id}) => id)).toEqual(numbersTo(18_000));
    expect(read.ok && read.value.incompleteReason).toBeUndefined();
    expect(sent).toHaveLength(2);
  });

  it('lets the event loop turn while it is read', async () => {
    const {reads} = await openService(() => machines(5000));
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    const reading = reads.read(listVirtualMachines, {});
    turn();
    await reading;
    isDone = true;
    // Five megabytes in pieces of at most a quarter of one, twice, since the second page shows that the first was all.
    expect(turns).toBeGreaterThan(2 * 19);
  });

  it('has its first records read before more than 1 MiB of it has come', async () => {
    const rest = Promise.withResolvers<void>();
    const {baseUrl} = await openServer(async (_request, response) => {
      // 700 machines of 1 kB, and nothing more until some of them were read.
      response.write(`{"instances":[${numbersTo(700).map(id => machine(id))}`);
      await rest.promise;
      response.end(`,${machine(701)}],"count":701}`);
    });
    const {list, parsed} = countingParses();
    const reading = openClients(baseUrl).reads.read(list, {});
    try {
      await vi.waitFor(() => expect(parsed.count).toBeGreaterThan(0), {timeout: 5000});
      expect(parsed.count).toBeLessThan(701);
    } finally {
      rest.resolve();
    }
    const read = await reading;
    expect(read.ok && read.value.records).toHaveLength(701);
  });

  it('is refused when its last fields say that it is a refusal', async () => {
    const rest = ',"status":false,"message":"not today","error_reason":"conflict"';
    const {reads} = await openService(() =>
      listOf(
        numbersTo(2000).map(id => machine(id)),
        rest,
      ),
    );
    expect(await reads.read(listVirtualMachines, {})).toMatchObject({failure: {kind: 'refused', message: 'not today'}});
  });

  it('has the malformed records of all its pieces quarantined, and no others', async () => {
    const records = numbersTo(3000).map(id => (id % 1000 === 0 ? `{"id":"no ${id}"}` : machine(id)));
    const {reads} = await openService(() => listOf(records, ',"count":2997'));
    const read = await reads.read(listVirtualMachines, {});
    expect(read.ok && read.value.records).toHaveLength(2997);
    expect(read.ok && read.value.quarantined.map(({id}) => id)).toEqual(['no 1000', 'no 2000', 'no 3000']);
  });
});

describe('a list that is read again', () => {
  it('gives the same objects for records that have not changed', async () => {
    let asked = 0;
    const names = () => ['a', `b${asked++}`, 'c'].map((name, index) => machine(index + 1, name));
    const {reads} = await openService(() => listOf(names(), ',"count":3'));
    const first = await reads.read(listVirtualMachines, {});
    const second = await reads.read(listVirtualMachines, {});
    const [one, two, three] = first.ok ? first.value.records : [];
    const again = second.ok ? second.value.records : [];
    expect(again.map(({name}) => name)).toEqual(['a', expect.not.stringMatching(`^${two?.name}$`), 'c']);
    expect(again[0]).toBe(one);
    expect(again[2]).toBe(three);
  });

  it('is the same answer if only what is not read has changed, even one too long to be held as a whole', async () => {
    let asked = 0;
    const records = numbersTo(300).map(id => (id === 77 ? '{"id":"no 77"}' : machine(id)));
    const {reads} = await openService(() => listOf([...records, `{"id":${77_000 + asked}}`], `,"took_ms":${asked++}`), {
      maxListBytes: 128 * 1024,
    });
    const first = await reads.read(listVirtualMachines, {});
    const second = await reads.read(listVirtualMachines, {});
    expect(first.ok && first.value.incompleteReason).toBe('size-limit');
    expect(first.ok && first.value.quarantined).toHaveLength(1);
    expect(second.ok && second.value).toBe(first.ok && first.value);
  });

  it('is another answer if its last record has gone', async () => {
    let count = 5;
    const {reads} = await openService(() => {
      count -= 1;
      return listOf(
        numbersTo(count).map(id => machine(id)),
        `,"count":${count}`,
      );
    });
    const first = await reads.read(listVirtualMachines, {});
    const second = await reads.read(listVirtualMachines, {});
    expect(first.ok && first.value.records).toHaveLength(4);
    expect(second.ok && second.value.records).toHaveLength(3);
  });

  it('gives the newer series of a machine, however similar they are', async () => {
    let value = 0;
    const {baseUrl} = await openServer((_request, response) => {
      value += 1000;
      response.end(wireExample('virtual-machines.metrics').replace('300, 1000]', `300, ${value}]`));
    });
    const {reads} = openClients(baseUrl);
    for (const expected of [1000, 2000]) {
      const read = await reads.read(virtualMachineMetrics, {id: virtualMachineId(7)});
      expect(read.ok && read.value.records[0]?.networkIn?.at(0)?.value).toBe(expected);
    }
  });
});

describe('a record that is too long', () => {
  it('is quarantined, and hides no other record', async () => {
    const records = numbersTo(200).map(id => machine(id, id === 77 ? 'x'.repeat(3 * MIB) : ''));
    const {reads} = await openService(() => listOf(records));
    const read = await reads.read(listVirtualMachines, {});
    expect(read.ok && read.value.records).toHaveLength(199);
    expect(read.ok && read.value.quarantined).toHaveLength(1);
  });
});

describe('an endless list', () => {
  it('is cut off at the limit of records', async () => {
    const {reads, sent} = await openService(() => endless('{"instances":[', `${machine(1, '')},`.repeat(1000)));
    const read = await reads.read(usageOf('instances'), {isDeleted: false});
    expect(read).toMatchObject({ok: true, value: {incompleteReason: 'record-limit'}});
    expect(sent[0]).toBeLessThan(ON_THE_WAY_BYTES);
  });

  it.each([
    ['a text in a record', endlessly('{"instances":[{"id":1,"name":"', LETTERS), 'a record of more than 8 MiB'],
    ['white space', endlessly(' ', ' '.repeat(64 * 1024)), 'a record of more than 1 MiB'],
    ['a text outside of the list', endlessly('{"instances":[],"x":"', LETTERS), 'a record of more than 1 MiB'],
    ['quotes', endlessly('{"instances":["', '\\"'.repeat(32 * 1024)), 'a record of more than 8 MiB'],
    ['opened brackets', endlessly('{"instances":[', '['.repeat(64 * 1024)), 'a record of more than 8 MiB'],
    ['closed brackets', endlessly('{"instances":[', ']}'.repeat(32 * 1024)), 'a record of more than 1 MiB'],
  ])('is refused and cut off when it is %s', async (_what, parts, detail) => {
    const {reads, sent} = await openService(parts);
    expect(await reads.read(listVirtualMachines, {})).toEqual({ok: false, failure: {kind: 'odd-answer', detail}});
    expect(sent[0]).toBeLessThan(ON_THE_WAY_BYTES);
  });

  it('is refused and cut off after 64 MiB when its records are long', async () => {
    const {reads, sent} = await openService(() => endless('{"instances":[', `${machine(1, LETTERS)},`), {
      maxListBytes: 128 * MIB,
    });
    expect(await reads.read(listVirtualMachines, {})).toMatchObject({failure: {detail: 'a body of more than 64 MiB'}});
    expect(sent[0]).toBeLessThan(64 * MIB + ON_THE_WAY_BYTES);
  });
});

describe('endless pages', () => {
  const thick = (page: number) => listOf(numbersTo(100).map(id => machine(page * 100 + id, 'x'.repeat(30_000))));

  it('are read up to the limit of bytes, and what was read is kept', async () => {
    const {reads, sent} = await openService(thick, {maxListBytes: 8 * MIB});
    const read = await reads.read(listVirtualMachines, {});
    expect(read).toMatchObject({ok: true, value: {incompleteReason: 'size-limit'}});
    expect(sent).toHaveLength(3);
    expect(read.ok && read.value.records.length).toBeGreaterThan(200);
    expect(read.ok && read.value.records.length).toBeLessThan(300);
  });

  it('are all read when each page is handed over as it comes and none is kept', async () => {
    const {reads} = await openService(page => (page > 6 ? listOf([]) : thick(page)), {maxListBytes: 8 * MIB});
    let count = 0;
    const read = await reads.readRaw(
      listVirtualMachines,
      {},
      {
        onPage: raw => {
          count += raw.length;
        },
      },
    );
    expect(read).toEqual({ok: true, value: {raw: []}});
    expect(count).toBe(600);
  });

  it.each([
    ['bytes', {maxBytes: 8 * MIB, maxRecords: 100_000}, 'size-limit', 300],
    ['records', {maxBytes: 64 * MIB, maxRecords: 250}, 'record-limit', 300],
  ])('are passed on up to the limit of %s only, whatever count they promise', async (_, streamedBounds, reason, most) => {
    const promising = (page: number) =>
      listOf(
        numbersTo(100).map(id => machine(page * 100 + id, 'x'.repeat(30_000))),
        `,"count":${1000 * page}`,
      );
    const {reads, sent} = await openService(page => (page > 9 ? listOf([]) : promising(page)), {
      maxListBytes: MIB,
      maxListRecords: 100,
      streamedBounds,
    });
    let count = 0;
    const onPage = (raw: readonly unknown[]) => {
      count += raw.length;
    };
    const read = await reads.readRaw(listVirtualMachines, {}, {onPage});
    expect(read).toMatchObject({ok: true, value: {incompleteReason: reason}});
    expect(sent).toHaveLength(3);
    expect(count).toBeGreaterThan(200);
    expect(count).toBeLessThanOrEqual(most);
  });

  it('are asked for no faster than they are taken', async () => {
    const {reads, sent} = await openService(page => (page > 2 ? listOf([]) : thick(page)));
    const asked: number[] = [];
    await reads.readRaw(
      listVirtualMachines,
      {},
      {
        onPage: async () => {
          await new Promise(resolve => setImmediate(resolve));
          asked.push(sent.length);
        },
      },
    );
    expect(asked).toEqual(asked.toSorted());
    expect(asked[0]).toBe(1);
  });
});

describe('a repeated answer', () => {
  const page = (name: string) =>
    listOf(
      [1, 2, 3].map(id => machine(id, name)),
      ',"count":3',
    );

  it('gives the same object when its bytes are the same, and its new records when they are not', async () => {
    let name = 'a';
    const {reads} = await openService(() => page(name));
    const [first, again] = [await reads.read(listVirtualMachines, {}), await reads.read(listVirtualMachines, {})];
    expect(first.ok && again.ok && again.value === first.value).toBe(true);
    name = 'b';
    const other = await reads.read(listVirtualMachines, {});
    expect(other.ok && other.value.records.map(each => each.name)).toEqual(['b', 'b', 'b']);
  });

  it('is read anew when it is too long to be kept as a whole', async () => {
    let name = 'a';
    const {reads} = await openService(() =>
      listOf(
        numbersTo(5000).map(id => machine(id, `${name}${NAME}`)),
        ',"count":5000',
      ),
    );
    await reads.read(listVirtualMachines, {});
    name = 'b';
    const other = await reads.read(listVirtualMachines, {});
    expect(other.ok && other.value.records.every(each => each.name.startsWith('b'))).toBe(true);
  });

  it('keeps the records of an unchanged page when another page changes', async () => {
    let last = 'a';
    const of = (from: number, name: string) =>
      listOf(
        numbersTo(1000).map(id => machine(from + id, name)),
        ',"count":2000',
      );
    const {reads} = await openService(number => (number === 1 ? of(0, 'a') : of(1000, last)));
    const first = await reads.read(listVirtualMachines, {});
    last = 'b';
    const second = await reads.read(listVirtualMachines, {});
    if (!first.ok || !second.ok) throw new Error('Expected two answers.');
    expect(second.value.records.slice(0, 1000).every((each, index) => each === first.value.records[index])).toBe(true);
    expect(second.value.records.slice(1000).every(each => each.name === 'b')).toBe(true);
  });

  it('keeps the unchanged records of a page that is too long to be kept as a whole', async () => {
    let last = 'a';
    const {reads} = await openService(() =>
      listOf([...numbersTo(4999).map(id => machine(id, NAME)), machine(5000, last)], ',"count":5000'),
    );
    const first = await reads.read(listVirtualMachines, {});
    last = 'b';
    const second = await reads.read(listVirtualMachines, {});
    if (!first.ok || !second.ok) throw new Error('Expected two answers.');
    const isKept = second.value.records.map((each, index) => each === first.value.records[index]);
    expect(isKept.indexOf(false)).toBe(4999);
    expect(second.value.records[4999]?.name).toBe('b');
  });

  it.each([
    ['a page', 1000],
    ['a page too long to be kept as a whole', 5000],
  ])('has only the pieces of %s parsed again that have changed', async (_what, count) => {
    let changed = '';
    const {reads} = await openService(() =>
      listOf(
        numbersTo(count).map(id => machine(id, id === count / 2 ? changed + NAME : NAME)),
        `,"count":${count}`,
      ),
    );
    const {list, parsed} = countingParses();
    await reads.read(list, {});
    expect(parsed.count).toBe(count);
    parsed.count = 0;
    changed = 'b';
    const second = await reads.read(list, {});
    const records = second.ok ? second.value.records : [];
    expect(records.map(({id}) => id)).toEqual(numbersTo(count));
    expect(records.filter(({name}) => name.startsWith('b')).map(({id}) => id)).toEqual([count / 2]);
    // The piece that has changed, and the last one, which has the end of the list.
    const perPiece = Math.ceil((64 * 1024) / machine(1).length);
    expect(parsed.count).toBeGreaterThan(0);
    expect(parsed.count).toBeLessThanOrEqual(2 * perPiece);
  });

  it('is not parsed again up to the limit of records', async () => {
    const {reads} = await openService(() => listOf(numbersTo(30_000).map(id => machine(id, 'a'))));
    const {list, parsed} = countingParses();
    const first = await reads.read(list, {});
    parsed.count = 0;
    const second = await reads.read(list, {});
    expect(first).toMatchObject({ok: true, value: {incompleteReason: 'record-limit'}});
    expect(first.ok && first.value.records).toHaveLength(20_000);
    expect(second.ok && second.value).toBe(first.ok && first.value);
    expect(parsed.count).toBe(0);
  });

  it('is read up to the limit of records when an earlier piece has fewer of them than before', async () => {
    const three = numbersTo(3)
      .map(id => machine(id, 'a'))
      .join(',');
    const one = machine(1, 'a'.repeat(three.length - machine(1, '').length));
    let start = three;
    const {reads} = await openService(() =>
      listOf([start, ...numbersTo(30_000).flatMap(id => (id > 3 ? machine(id, 'a') : []))]),
    );
    const ids = async () => {
      const list = await reads.read(listVirtualMachines, {});
      return list.ok ? list.value.records.map(({id}) => Number(id)) : [];
    };
    expect(await ids()).toEqual(numbersTo(20_000));
    start = one;
    expect(await ids()).toEqual([1, ...numbersTo(20_002).slice(3)]);
  });

  it('is not reused for another request or another status', async () => {
    let httpStatus = 200;
    const server = await openServer((_request, response) => {
      response.statusCode = httpStatus;
      response.end('{"data":[]}');
    });
    const {reads} = openClients(server.baseUrl);
    const [living, ended] = [await reads.read(usage, {isDeleted: false}), await reads.read(usage, {isDeleted: true})];
    expect(living.ok && ended.ok && living.value !== ended.value).toBe(true);
    httpStatus = 500;
    expect(await reads.read(usage, {isDeleted: false})).toMatchObject({failure: {kind: 'service-error'}});
  });

  it('contains nothing of a longer one before it or of one that is read at the same time', async () => {
    const counts = [2000, 3, 700, 4000];
    let asked = 0;
    const {reads} = await openService(() => {
      const count = counts[asked++ % counts.length] ?? 0;
      return listOf(
        numbersTo(count).map(id => machine(id, `one of ${count}`)),
        `,"count":${count}`,
      );
    });
    const read = async () => {
      const list = await reads.read(listVirtualMachines, {});
      return list.ok ? list.value.records.map(({name}) => name) : [];
    };
    const byCount = (lists: readonly (readonly string[])[]) => lists.toSorted((a, b) => a.length - b.length);
    const expected = byCount(counts.map(count => numbersTo(count).map(() => `one of ${count}`)));
    expect(byCount(await Promise.all(counts.map(read)))).toEqual(expected);
    const inTurn: string[][] = [];
    for (const _ of counts) inTurn.push(await read());
    expect(byCount(inTurn)).toEqual(expected);
  });

  it('is not reused when it may be seen only once', async () => {
    const server = await openServer((_request, response) => response.end(wireExample('virtual-machines.console')));
    const {reads} = openClients(server.baseUrl);
    const asked = {id: virtualMachineId(7), jobId: '1'};
    const [first, second] = [await reads.read(machineConsole, asked), await reads.read(machineConsole, asked)];
    expect(first.ok && second.ok && first.value !== second.value).toBe(true);
  });
});

describe('an answer that is read as a whole', () => {
  it('leaves none of its text in memory, which is longer than what is read from it', async () => {
    const {baseUrl} = await openServer((_request, response) => response.end(wireExample('virtual-machines.metrics')));
    const memory = new AnswerMemory();
    const asked = {id: virtualMachineId(7)};
    await openClients(baseUrl, {memory}).reads.read(virtualMachineMetrics, asked);
    const question = {path: virtualMachineMetrics.path(asked), query: virtualMachineMetrics.query(asked)};
    const [known] = memory.recall(virtualMachineMetrics, question).pages;
    expect(known?.page.taken).toHaveLength(1);
    expect(JSON.stringify(known)).not.toContain('granularity');
  });

  it('of numbers is refused when it exceeds 4 MiB, and says what to do', async () => {
    const {reads, sent} = await openService(() => endless('{"cpu":{"columns":[],"data":[', '["a",1,2],'.repeat(6000)));
    expect(await reads.read(virtualMachineMetrics, {id: virtualMachineId(7)})).toEqual({
      ok: false,
      failure: {kind: 'odd-answer', detail: 'a body of more than 4 MiB; ask for a shorter window', isTooLarge: true},
    });
    expect(sent[0]).toBeLessThan(4 * MIB + ON_THE_WAY_BYTES);
  });

  it('is not said to be shorter in another window if there is none', async () => {
    const {reads} = await openService(() => endless('{"cpu":{"columns":[],"data":[', '["a",1,2],'.repeat(6000)));
    const read = await reads.read(virtualMachineMetrics, {id: virtualMachineId(7), duration: '1h'});
    expect(read).toMatchObject({
      ok: false,
      failure: {
        detail:
          'a body of more than 4 MiB; 1h is the shortest window; skydeck api GET /core/virtual-machines/7/metrics -q duration=1h prints the answer as it is',
      },
    });
  });
});

function endlessly(first: string, round: string) {
  return () => endless(first, round);
}

/** The usage list comes in one page; here its key has another name. */
function usageOf(key: string): typeof usage {
  return {...usage, collect: body => usage.collect({data: Object.getOwnPropertyDescriptor(body, key)?.value})};
}

describe('a page size that the service refuses', () => {
  const SIZES = /pageSize=(\d+)/;
  const refusing = (limit: number) =>
    openServer((request, response) => {
      const size = Number(SIZES.exec(request.url ?? '')?.[1]);
      const page = Number(/[?&]page=(\d+)/.exec(request.url ?? '')?.[1]);
      const instances = numbersTo(250).slice((page - 1) * size, page * size);
      response.statusCode = size > limit ? 400 : 200;
      response.end(
        size > limit
          ? JSON.stringify({errors: {pageSize: `at most ${limit}`}, message: 'Input payload validation failed'})
          : JSON.stringify({instances: instances.map(id => ({id})), count: 250}),
      );
    });
  const sizesOf = (seen: readonly {readonly url: string}[]) => seen.map(({url}) => Number(SIZES.exec(url)?.[1]));

  it('is asked for once more with the documented size, which is then kept', async () => {
    const {baseUrl, seen} = await refusing(100);
    const {reads} = openClients(baseUrl);
    for (let count = 0; count < 2; count += 1) {
      const read = await reads.read(listVirtualMachines, {});
      expect(read.ok && read.value.records).toHaveLength(250);
    }
    expect(sizesOf(seen)).toEqual([1000, 100, 100, 100, 100, 100, 100]);
  });

  it('is asked for once more at the next reading too, if the service failed meanwhile', async () => {
    const {baseUrl, seen} = await openServer((request, response) => {
      const size = Number(SIZES.exec(request.url ?? '')?.[1]);
      response.statusCode = size > 100 ? 400 : sizesOf(seen).length === 2 ? 503 : 200;
      response.end(response.statusCode === 200 ? '{"instances": [{"id": 1}], "count": 1}' : '{"message": "no"}');
    });
    const {reads} = openClients(baseUrl);
    expect(await reads.read(listVirtualMachines, {})).toMatchObject({ok: false, failure: {kind: 'service-error'}});
    expect(await reads.read(listVirtualMachines, {})).toMatchObject({ok: true});
    expect(sizesOf(seen)).toEqual([1000, 100, 1000, 100]);
  });

  it('is not asked for again and again if the refusal has another reason', async () => {
    const {baseUrl, seen} = await refusing(0);
    const {reads} = openClients(baseUrl);
    for (let count = 0; count < 3; count += 1) {
      expect(await reads.read(listVirtualMachines, {})).toMatchObject({ok: false, failure: {kind: 'refused'}});
    }
    expect(sizesOf(seen)).toEqual([1000, 100, 1000, 1000]);
  });
});

describe('a list that changes while it is read', () => {
  /** A list of 25 records, ten a page, that loses its first record after each of the first `losses` pages. */
  const shrinking = (losses: number) => {
    let instances = numbersTo(25).map(id => ({id}));
    let answers = 0;
    return openServer((request, response) => {
      const page = Number(/[?&]page=(\d+)/.exec(request.url ?? '')?.[1]);
      const rows = instances.slice((page - 1) * 10, page * 10);
      response.end(JSON.stringify({instances: rows, count: instances.length, page_size: 10}));
      answers += 1;
      if (answers <= losses) instances = instances.slice(1);
    });
  };
  const idsFrom = (first: number) => numbersTo(25).slice(first - 1);

  it('is read once more, so that the record that moved to the page before is not missing', async () => {
    const {baseUrl, seen} = await shrinking(1);
    const read = await openClients(baseUrl).reads.read(listVirtualMachines, {});
    expect(read.ok && read.value.records.map(({id}) => Number(id))).toEqual(idsFrom(2));
    expect(read.ok && read.value.incompleteReason).toBeUndefined();
    expect(seen).toHaveLength(6);
  });

  it('is incomplete if it changes again, and is not read a third time', async () => {
    const {baseUrl, seen} = await shrinking(100);
    const read = await openClients(baseUrl).reads.read(listVirtualMachines, {});
    expect(read).toMatchObject({ok: true, value: {incompleteReason: 'changed-while-read'}});
    expect(seen).toHaveLength(6);
  });

  it('is incomplete if its records were passed on as they came', async () => {
    const {baseUrl, seen} = await shrinking(1);
    const pages: number[] = [];
    const onPage = (raw: readonly unknown[]) => void pages.push(raw.length);
    const read = await openClients(baseUrl).reads.readRaw(listVirtualMachines, {}, {onPage});
    expect(read).toMatchObject({ok: true, value: {incompleteReason: 'changed-while-read'}});
    expect(pages).toEqual([10, 10, 4]);
    expect(seen).toHaveLength(3);
  });
});

describe('an answer that is an old copy', () => {
  const aged = (age: string | undefined) =>
    openServer((_request, response) => {
      if (age !== undefined) response.setHeader('age', age);
      response.end('{"instances": [{"id": 1}], "count": 1}');
    });

  it.each(['2', '41', '3600'])('of %s s is not taken for the present state', async age => {
    const {reads} = openClients((await aged(age)).baseUrl);
    const read = await reads.read(listVirtualMachines, {});
    expect(read).toMatchObject({ok: false, failure: {kind: 'odd-answer'}});
    expect(JSON.stringify(read)).toContain(`${age} s old`);
  });

  it.each([
    ['1.5', '1.5 s old'],
    ['1e9', '1000000000 s old'],
    ['0, 4e2', '400 s old'],
  ])('is seen in the age %j too, although an age is a whole number of seconds', async (age, words) => {
    const {reads} = openClients((await aged(age)).baseUrl);
    const read = await reads.read(listVirtualMachines, {});
    expect(read).toMatchObject({ok: false, failure: {kind: 'odd-answer'}});
    expect(JSON.stringify(read)).toContain(words);
  });

  it('is as old as in the oldest of several caches', async () => {
    const {reads} = openClients((await aged('0, 400')).baseUrl);
    const read = await reads.read(listVirtualMachines, {});
    expect(JSON.stringify(read)).toContain('400 s old');
  });

  it.each([undefined, '0', '1', '-5', 'old', 'NaN'])('is not seen in an age of %s', async age => {
    const {reads} = openClients((await aged(age)).baseUrl);
    expect(await reads.read(listVirtualMachines, {})).toMatchObject({ok: true});
  });

  it('is not wanted from any cache in between', async () => {
    const {baseUrl, seen} = await aged(undefined);
    await openClients(baseUrl).reads.read(listVirtualMachines, {});
    expect(seen[0]?.headers).toMatchObject({'cache-control': 'no-cache'});
  });

  it('is not taken even if it has the bytes of the last answer', async () => {
    let age = '0';
    const {baseUrl} = await openServer((_request, response) => {
      response.setHeader('age', age).end('{"instances": [{"id": 1}], "count": 1}');
    });
    const {reads} = openClients(baseUrl);
    expect(await reads.read(listVirtualMachines, {})).toMatchObject({ok: true});
    age = '60';
    expect(await reads.read(listVirtualMachines, {})).toMatchObject({ok: false, failure: {kind: 'odd-answer'}});
  });
});
