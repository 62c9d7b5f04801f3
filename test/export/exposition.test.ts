import {describe, expect, test} from 'vitest';
import {acceptsOpenMetrics, exposition, sharedAnswers} from '../../src/export/exposition.ts';
import {counters, gauge, gauges, seriesCount} from '../../src/export/metric.ts';
import {createVirtualClock} from '../support/clock.ts';

const about = {name: 'a_bytes', help: 'What it is.'};

describe('exposition', () => {
  test('escapes characters that would end a label', async () => {
    const {text, contentType} = await exposition(
      [gauges(about, [{labels: {name: 'a"b\\c\nd', zone: 'x'}, value: 1.5}])],
      false,
    );
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toBe(
      '# HELP a_bytes What it is.\n# TYPE a_bytes gauge\na_bytes{name="a\\"b\\\\c\\nd",zone="x"} 1.5\n',
    );
  });

  test('writes OpenMetrics as that format requires', async () => {
    const {text, contentType} = await exposition(
      [counters({name: 'sent_total', help: 'Sent.'}, [{value: 3}]), gauge(about, 2)],
      true,
    );
    expect(contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(text).toBe(
      '# HELP sent Sent.\n# TYPE sent counter\nsent_total 3\n# HELP a_bytes What it is.\n# TYPE a_bytes gauge\na_bytes 2\n# EOF\n',
    );
  });

  test('leaves out unknown values, which are not zero', async () => {
    const families = [
      gauge(about, undefined),
      gauges({...about, name: 'b'}, [{value: Number.NaN}, {value: Number.POSITIVE_INFINITY}]),
      counters({...about, name: 'c_total'}, [{value: -1}]),
    ];
    expect(seriesCount(families)).toBe(0);
    expect((await exposition(families, false)).text.trim()).toBe('');
  });
});

describe('sharedAnswers', () => {
  /** Answers that take two seconds each, with their number in the text. */
  function openAnswers() {
    const time = createVirtualClock();
    let madeCount = 0;
    const read = sharedAnswers(async isOpenMetrics => {
      madeCount += 1;
      const body = Buffer.from(`${isOpenMetrics ? 'open' : 'plain'} ${madeCount}`);
      await new Promise<void>(resolve => time.clock.after(2000, resolve));
      return {contentType: '', body};
    }, time.clock);
    const ask = async (isOpenMetrics = false) => (await read(isOpenMetrics)).body.toString();
    return {ask, advance: time.advance};
  }

  test('creates one answer for all requests while it is created, and for as long again', async () => {
    const {ask, advance} = openAnswers();
    const first = [ask(), ask()];
    await advance(2000);
    expect(await Promise.all(first)).toEqual(['plain 1', 'plain 1']);
    await advance(2000);
    expect(await ask()).toBe('plain 1');
    await advance(1);
    const next = ask();
    await advance(2000);
    expect(await next).toBe('plain 2');
  });

  test('creates an answer of its own for each format', async () => {
    const {ask, advance} = openAnswers();
    const both = [ask(false), ask(true)];
    await advance(2000);
    expect(await Promise.all(both)).toEqual(['plain 1', 'open 2']);
  });

  test('creates another answer after one that failed', async () => {
    let askedCount = 0;
    const read = sharedAnswers(() => {
      askedCount += 1;
      return askedCount === 1
        ? Promise.reject(new Error('broken'))
        : Promise.resolve({contentType: '', body: Buffer.from('b')});
    }, createVirtualClock().clock);
    await expect(read(false)).rejects.toThrow('broken');
    expect((await read(false)).body.toString()).toBe('b');
  });
});

describe('acceptsOpenMetrics', () => {
  test.each([
    [undefined, false],
    ['*/*', false],
    ['text/plain', false],
    ['application/openmetrics-text', true],
    // The header that Prometheus 2.42 sends.
    [
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
      true,
    ],
    ['text/plain;q=0.9, application/openmetrics-text;q=0.2', false],
    ['application/openmetrics-text;q=0', false],
    ['application/openmetrics-text;q=nonsense', false],
  ])('%s: %s', (accept, expected) => {
    expect(acceptsOpenMetrics(accept)).toBe(expected);
  });
});
