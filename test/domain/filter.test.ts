import {describe, expect, test} from 'vitest';
import {type FilterColumn, type FilterRow, matchesFilter, parseFilter} from '../../src/domain/filter.ts';
import {DAY_MS, HOUR_MS, MINUTE_MS} from '../../src/domain/time.ts';

const COLUMNS: readonly FilterColumn[] = [
  {key: 'name'},
  {key: 'state'},
  {key: 'flavor'},
  {key: 'cpu', unit: 'percent'},
  {key: 'cost', unit: 'dollars'},
  {key: 'age', unit: 'duration'},
  {key: 'memory', unit: 'bytesPerSecond'},
  {key: 'size', unit: 'bytes'},
  {key: 'disk', unit: 'gigabytes'},
  {key: 'left', unit: 'days'},
  {key: 'gpus'},
  {key: 'IP'},
];

type Cell = {readonly text: string; readonly number?: number; readonly isAtLeast?: true};

const TRAIN = aRow(
  {
    name: {text: 'train-01'},
    state: {text: 'ACTIVE'},
    flavor: {text: 'n3-H100x8'},
    cpu: {text: '94', number: 94},
    cost: {text: '25.60', number: 25.6},
    age: {text: '13d', number: 13 * DAY_MS},
    memory: {text: '4.0G', number: 4 * 1024 ** 3},
    size: {text: '2.0T', number: 2 * 1024 ** 4},
    disk: {text: '8 TB', number: 8000},
    left: {text: '303', number: 303},
    gpus: {text: '8', number: 8},
    IP: {text: '10.0.5.17'},
  },
  ['prod', 'team=vision two'],
);
const UNMEASURED = aRow({name: {text: 'young-1'}, state: {text: 'CREATING'}, cpu: {text: '–'}}, []);

describe('matchesFilter', () => {
  test.each([
    ['', true],
    ['   ', true],
    ['train', true],
    ['TRAIN', true],
    ['h100', true],
    ['infer', false],
    ['train active', true],
    ['train shutoff', false],
    ['name:train', true],
    ['NAME:Train', true],
    ['ip:10.0.5', true],
    ['flavor:train', false],
    ['state:active', true],
    ['!infer', true],
    ['!train', false],
    ['!!train', true],
    ['!state:active', false],
    ['!state:shutoff', true],
  ])('finds words and columns: "%s"', (expression, expected) => {
    expect(matches(expression, TRAIN)).toBe(expected);
  });

  test.each([
    ['cost::3', false],
    ['cpu>93', true],
    ['cpu>94', false],
    ['cpu<94', false],
    ['cpu>80%', true],
    ['cpu<95%', true],
    ['CPU>80', true],
    ['cost>25.5', true],
    ['cost>$25.60', false],
    ['cost<$1,000', true],
    ['cost>.5', true],
    ['cost>-1', true],
    ['age>1d', true],
    ['age<1d', false],
    ['age<2w', true],
    ['age>12d23h', true],
    ['age<13d1s', true],
    ['age>311h59', true],
    ['age<312h01', true],
    ['memory>3.9G', true],
    ['memory<4G', false],
    ['memory>4095M', true],
    ['memory<4195000K', true],
    ['memory<4295000kB/s', true],
    ['memory<1T', true],
    ['size>1T', true],
    ['size<2048G', false],
    ['size>2047G', true],
    ['disk<1T', false],
    ['disk>2T', true],
    ['disk>7999', true],
    ['disk<8TB', false],
    ['disk<8.1T', true],
    ['disk>7999999M', true],
    ['left<10d', false],
    ['left<303', false],
    ['left>43w', true],
    ['left<44w', true],
    ['left>7271h', true],
    ['!cpu>95', true],
    ['cpu>90 cost>20 age>1w', true],
    ['cpu>90 cost>30', false],
  ])('compares numbers in their units: %s', (expression, expected) => {
    expect(matches(expression, TRAIN)).toBe(expected);
  });

  test.each([
    ['cpu>80', false],
    ['cpu<80', false],
    ['!cpu>80', false],
    ['!cpu<80', false],
    ['cost<1', false],
    ['!state:active', true],
    ['flavor:n3', false],
    ['!flavor:n3', true],
  ])('never treats an unknown number as a small one: %s', (expression, expected) => {
    expect(matches(expression, UNMEASURED)).toBe(expected);
  });

  test.each([
    ['cpu>1', true],
    ['cpu>80', false],
    ['cpu<80', false],
    ['!cpu>80', false],
    ['!cpu<80', false],
    ['cpu<10', false],
    ['!cpu<10', true],
  ])('concludes no more from a lower bound than it proves: %s', (expression, expected) => {
    expect(matches(expression, aRow({cpu: {text: '59+', number: 59, isAtLeast: true}}, []))).toBe(expected);
  });

  // Two dollars an hour, metered as 0.033333333 a minute.
  test.each([
    ['cost<2', false],
    ['cost>2', false],
    ['!cost<2', true],
    ['cost<2.000001', true],
    ['cost>1.999999', true],
    ['cost<$2', false],
  ])('compares money in whole micro-dollars: %s', (expression, expected) => {
    expect(matches(expression, aRow({cost: {text: '2.00', number: 0.033333333 * 60}}, []))).toBe(expected);
  });

  test('treats NaN as unknown', () => {
    const row = aRow({cpu: {text: '?', number: Number.NaN}}, []);
    expect(matches('!cpu>80', row)).toBe(false);
  });

  test.each([
    ['label:prod', true],
    ['LABEL:Team=', true],
    ['label:dev', false],
    ['!label:dev', true],
    ['label:"vision two"', true],
    ['label:/^prod$/', true],
    ['label:/^rod$/', false],
  ])('searches the labels: %s', (expression, expected) => {
    expect(matches(expression, TRAIN)).toBe(expected);
  });

  test('searches the cell called label when a row has no labels', () => {
    const {labels: _, ...row} = aRow({label: {text: 'prod'}}, []);
    expect(matches('label:prod', row)).toBe(true);
  });

  test.each([
    ['/^train-\\d+$/', true],
    ['/^TRAIN/', true],
    ['/^rain/', false],
    ['!/^rain/', true],
    ['name:/0[12]$/', true],
    ['flavor:/^train/', false],
    ['/active|shutoff/', true],
    ['/two words|train/', true],
    ['/10\\.0\\.\\d+\\.\\d+/', true],
    ['/[/]|01/', true],
  ])('searches by a regular expression: %s', (expression, expected) => {
    expect(matches(expression, TRAIN)).toBe(expected);
  });

  test.each([
    ['"train-01"', true],
    ['"train 01"', false],
    ['name:"train-0"', true],
    ['!"train 01" active', true],
    ['"cpu>99"', false],
    ['::1', false],
    ['team=vision', false],
    ['"state!=active"', false],
    ['!"state=active"', true],
    ['ip:::1', false],
    ['n3-', true],
  ])('takes quoted and odd text literally: %s', (expression, expected) => {
    expect(matches(expression, TRAIN)).toBe(expected);
  });
});

describe('parseFilter', () => {
  test.each([
    [
      'colour:red',
      'colour:red: no column is called colour; there are name, state, flavor, cpu, cost, age, memory, size, disk, left, gpus, IP, label. For the text itself write "colour:red".',
    ],
    [
      'train !fe80::1',
      '!fe80::1: no column is called fe80; there are name, state, flavor, cpu, cost, age, memory, size, disk, left, gpus, IP, label. For the text itself write "fe80::1".',
    ],
    ['cpu>high', 'cpu>high: expected a number after >, e.g. 80, 80%, $10, 12h or 4G'],
    ['age<1y', 'age<1y: expected a number after <, e.g. 80, 80%, $10, 12h or 4G'],
    ['cpu>=80', 'cpu>=80: >= is not known; there are : > and <, and !cpu<80 is at least that much.'],
    ['cpu<=80', 'cpu<=80: <= is not known; there are : > and <, and !cpu>80 is at most that much.'],
    [
      'state!=active',
      'state!=active: != is not known; write !state:active. There are : > and <, and ! before a term. For the text itself write "state!=active".',
    ],
    [
      '!State==active',
      '!State==active: == is not known; write !State:active. There are : > and <, and ! before a term. For the text itself write "State==active".',
    ],
    [
      'cost>>3',
      'cost>>3: >> is not known; write cost>3. There are : > and <, and ! before a term. For the text itself write "cost>>3".',
    ],
    // "10" is also the text of 110.00, so what was meant is a comparison.
    ['cost=10', 'cost=10: = is not known; write !cost<10 !cost>10 for exactly that.'],
    ['Cost==$10.50', 'Cost==$10.50: == is not known; write !Cost<$10.50 !Cost>$10.50 for exactly that.'],
    ['cost!=3', 'cost!=3: != is not known; write cost<3 or cost>3, for anything else.'],
    ['cost<>3', 'cost<>3: <> is not known; write cost<3 or cost>3, for anything else.'],
    ['!cost=3', '!cost=3: = is not known; write cost<3 or cost>3, for anything else.'],
    // A share is shown rounded, and found by its text.
    ['cpu=80', expect.stringMatching(/^cpu=80: = is not known; write cpu:80\./)],
    [
      'state:!active',
      'state:!active: :! is not known; write !state:active. There are : > and <, and ! before a term. For the text itself write "state:!active".',
    ],
    ['label=prod', expect.stringMatching(/^label=prod: = is not known; write label:prod\./)],
    ['state=~act', expect.stringMatching(/^state=~act: =~ is not known; write state:act\./)],
    ['state!=', expect.stringMatching(/^state!=: != is not known\. There are/)],
    ['state != active', '!=: name a column before it, as in cpu>80.'],
    ['state : active', ':: name a column before it, as in cpu>80.'],
    ['cpu>/8/', 'cpu>/8/: expected a number after >, e.g. 80, 80%, $10, 12h or 4G'],
    ['cost>1,00', 'cost>1,00: expected a number after >, e.g. 80, 80%, $10, 12h or 4G'],
    ['>80', '>80: name a column before it, as in cpu>80.'],
    ['name:', 'name:: write after it what to look for.'],
    ['train !', '!: write after it what to look for.'],
    ['"train', '"train: the closing " is missing; without the first " it is a word.'],
    ['/train', '/train: the closing / is missing; without the first / it is a word.'],
    ['/[train/', '/[train/: the closing / is missing; without the first / it is a word.'],
    ['""', '"": there is nothing between the two ".'],
    ['name://', 'name://: there is nothing between the two /.'],
    ['/dev/vdb', '/dev/vdb: put a space after the closing /, or quote the whole text.'],
    ['"a"b', '"a"b: put a space after the closing ", or quote the whole text.'],
    ['/(a+)+$/', '/(a+)+$/: it repeats a group that itself repeats; simplify it.'],
  ])('says what is wrong with %s, where, and what to write', (expression, mistake) => {
    expect(parseFilter(expression, COLUMNS)).toEqual({ok: false, mistake});
  });

  test.each([
    ['!cpu>=80', '!cpu>=80: >= is not known; there are : > and <, and cpu<80 is less than that.'],
    ['!cpu=<80', '!cpu=<80: =< is not known; there are : > and <, and cpu>80 is more than that.'],
    [
      'name:>web',
      'name:>web: :> is not known. There are : > and <, and ! before a term. For the text itself write "name:>web".',
    ],
    ['cpu>=', 'cpu>=: >= is not known. There are : > and <, and ! before a term. For the text itself write "cpu>=".'],
    [
      'state!="active"',
      'state!="active": != is not known; write !state:"active". There are : > and <, and ! before a term.',
    ],
    ['colour>=3', expect.stringMatching(/^colour>=3: no column is called colour;/)],
  ])('suggests for %s nothing that is itself a mistake', (expression, mistake) => {
    expect(parseFilter(expression, COLUMNS)).toEqual({ok: false, mistake});
  });

  // What each one or two signs mean, `c` being the column; a term alone is valid as it stands.
  const MEANINGS: Readonly<Record<string, readonly string[]>> = {
    valid: [':', '>', '<', '::'],
    'c:3': ['=', '~', '!!', '==', '=~', '~=', '~~', '=:', '~:', ':=', ':~'],
    '!c:3': ['!', '!=', '=!', '!:', ':!', '!~', '~!', '<>', '><'],
    'c>3': [':>', '>:', '~>', '>~', '>>'],
    'c<3': [':<', '<:', '~<', '<~', '<<'],
    '!c>3': ['!>', '>!', '<=', '=<'],
    '!c<3': ['!<', '<!', '>=', '=>'],
  };
  const SIGNS = ['!', '=', ':', '<', '>', '~'];
  const ONE_OR_TWO = SIGNS.flatMap(first => [first, ...SIGNS.map(second => `${first}${second}`)]);

  test('suggests a comparison for a count too, which is aligned to the right', () => {
    expect(parseFilter('rules=2', [{key: 'rules', align: 'right'}])).toEqual({
      ok: false,
      mistake: 'rules=2: = is not known; write !rules<2 !rules>2 for exactly that.',
    });
  });

  test('finds with what it suggests for an exact figure that figure alone', () => {
    const found = (cost: number) => {
      const outcome = parseFilter('!cost<10 !cost>10', COLUMNS);
      return outcome.ok && matchesFilter(outcome.filter, aRow({cost: {text: cost.toFixed(2), number: cost}}, []));
    };
    expect([9.99, 10, 10.01, 110].map(found)).toEqual([false, true, false, false]);
  });

  test.each(ONE_OR_TWO)('reads %s after a column, or suggests what parses', signs => {
    const meant = Object.entries(MEANINGS).flatMap(([meaning, all]) => (all.includes(signs) ? [meaning] : []));
    const outcome = parseFilter(`gpus${signs}3`, COLUMNS);
    const suggestion = outcome.ok ? 'valid' : /(?:; write|, and) (\S*gpus[:<>]3)\b/.exec(outcome.mistake)?.[1];
    expect([suggestion?.replace('gpus', 'c')]).toEqual(meant);
    if (!outcome.ok) expect(parseFilter(suggestion ?? '', COLUMNS).ok).toBe(true);
  });

  test.each([
    ['cost<2h', 'cost is in dollars; write cost<10'],
    ['cost>50%', 'cost is in dollars; write cost>10'],
    ['cpu>$3', 'cpu is in percent; write cpu>80'],
    ['CPU>3G', 'cpu is in percent; write cpu>80'],
    ['age>3G', 'age is a time; write age>12h'],
    ['left>$3', 'left is a time; write left>10d'],
    ['size>3d', 'size is a size; write size>4G'],
    ['size>3M/s', 'size is a size; write size>4G'],
    ['disk<30%', 'disk is a size; write disk<500G'],
    ['memory<3d', 'memory is bytes a second; write memory<4M'],
    ['gpus>1K', 'gpus is compared as a number alone; write gpus>8'],
    ['gpus<2d', 'gpus is compared as a number alone; write gpus<8'],
    ['gpus>50%', 'gpus is compared as a number alone; write gpus>8'],
    ['gpus>$2', 'gpus is compared as a number alone; write gpus>8'],
  ])('does not compare %s, which has the unit of something else', (expression, mistake) => {
    expect(parseFilter(expression, COLUMNS)).toEqual({ok: false, mistake: `${expression}: ${mistake}`});
  });

  test.each([
    ['stauts:active', 'state'],
    ['nmae:web', 'name'],
    ['!agee>2d', 'age'],
    ['memroy>50', 'memory'],
    ['lable:prod', 'label'],
  ])('suggests for %s the column that was probably meant', (expression, column) => {
    const term = expression.replace('!', '');
    const written = term.slice(0, term.search(/[:>]/));
    expect(parseFilter(expression, COLUMNS)).toEqual({
      ok: false,
      mistake: `${expression}: no column ${written}; did you mean ${column}? For the text itself write "${term}".`,
    });
  });

  test('reports an invalid regular expression', () => {
    const outcome = parseFilter('/train(/', COLUMNS);
    expect(outcome.ok ? '' : outcome.mistake).toMatch(/^\/train\(\/: not a regular expression \(.+\); put a \\ before/);
  });

  test('accepts up to 256 characters', () => {
    expect(parseFilter('a'.repeat(256), COLUMNS).ok).toBe(true);
    expect(parseFilter('a'.repeat(257), COLUMNS)).toEqual({
      ok: false,
      mistake: 'a filter of more than 256 characters: shorten it.',
    });
  });

  test('shows a control character as a visible sign in a mistake', () => {
    const outcome = parseFilter('\u001b[31m:x', COLUMNS);
    expect(outcome.ok ? '' : outcome.mistake).toContain('\u241b[31m:x: no column is called \u241b[31m');
  });

  test('spells the column of a term as the list does', () => {
    const outcome = parseFilter('ip:10', COLUMNS);
    expect(outcome.ok ? outcome.filter.terms.map(({condition}) => condition.column) : []).toEqual(['IP']);
  });

  test('reads durations exactly', () => {
    const limitOf = (text: string) => {
      const outcome = parseFilter(`age<${text}`, COLUMNS);
      const condition = outcome.ok ? outcome.filter.terms[0]?.condition : undefined;
      return condition?.kind === 'below' ? condition.limit : undefined;
    };
    expect(limitOf('1d12h')).toBe(36 * HOUR_MS);
    expect(limitOf('1.5h')).toBe(90 * MINUTE_MS);
    expect(limitOf('9h14')).toBe(9 * HOUR_MS + 14 * MINUTE_MS);
    expect(limitOf('4m12')).toBe(4 * MINUTE_MS + 12_000);
    expect(limitOf('90')).toBe(90);
  });
});

function matches(expression: string, row: FilterRow): boolean {
  const outcome = parseFilter(expression, COLUMNS);
  if (!outcome.ok) throw new Error(outcome.mistake);
  return matchesFilter(outcome.filter, row);
}

function aRow(cells: Readonly<Record<string, Cell>>, labels: readonly string[]): FilterRow {
  return {
    cell: column => cells[column],
    shownTexts: () => Object.values(cells).map(cell => cell.text),
    labels,
  };
}
