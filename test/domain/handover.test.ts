import {expect, it} from 'vitest';
import {costSince, type Handover, handoverLines, markdownOf} from '../../src/domain/handover.ts';
import {burnIncident} from '../../src/domain/money/anomaly.ts';
import {spendCurve} from '../../src/domain/money/spend-curve.ts';
import {parseDecimal, ratePerHour, rational, usd, ZERO_RATE} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, HOUR_MS, MINUTE_MS} from '../../src/domain/time.ts';
import type {Finding} from '../../src/domain/triage/finding.ts';
import {aUsageRecord} from '../panes/a-known-scene.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 21));
const SINCE = epochMs(NOW - 8 * HOUR_MS);

const NOTHING_SAVED = {rate: ZERO_RATE, machineCount: 0, unpricedCount: 0, isUncertain: false};

type GivenHandover = Omit<Handover, 'unread'> & Partial<Handover>;

/** Every list was read, unless it says otherwise. */
function markdownLines(handover: GivenHandover): readonly string[] {
  return handoverLines({unread: [], ...handover}).map(markdownOf);
}

function aFinding(name: string): Finding {
  return {
    rule: 'idle',
    severity: 'warning',
    subject: {type: 'vm', id: 7, name: safeText(name)},
    summary: safeText('idle and billed'),
    since: epochMs(NOW - HOUR_MS),
    rate: ratePerHour(rational(14n, 1n)),
    evidence: [],
    advice: safeText('Hibernate it if it is not needed.'),
    commands: [],
  };
}

it('lists what is open, what is muted, what was not checked, what was sent and what it cost', () => {
  const lines = markdownLines({
    account: safeText('acme'),
    now: NOW,
    since: SINCE,
    found: {
      findings: [aFinding('train-02')],
      muted: [
        {
          finding: aFinding('*old*'),
          mute: {kind: 'snoozed', finding: '', severity: 'warning', at: SINCE, until: epochMs(NOW + HOUR_MS)},
        },
      ],
      unknown: [{rule: 'idle', reason: safeText('the metrics of gpu-9 were not read')}],
    },
    done: [
      {
        at: epochMs(NOW - 2 * HOUR_MS),
        words: safeText('hibernate dev-1 #8'),
        outcome: safeText('confirmed'),
        isUnsent: false,
      },
      {
        at: epochMs(NOW - HOUR_MS),
        words: safeText('delete dev-2 #9'),
        outcome: safeText('not sent: it is DELETING now'),
        isUnsent: true,
      },
    ],
    savings: {rate: ratePerHour(rational(28n, 1n)), machineCount: 2, unpricedCount: 0, isUncertain: true},
    burn: ratePerHour(rational(20n, 1n)),
    cost: {total: usd(rational(321n, 2n)), source: 'billed', isAtLeast: false, unpricedCount: 0, lacksDeleted: false},
    credit: {balance: usd(rational(4120n, 1n)), isOwn: false},
    // $4,120 at $20 an hour.
    runway: {
      leftMs: 206 * HOUR_MS,
      isEndless: false,
      isAtMost: false,
      hasUnpriced: false,
      changingCount: 0,
      unmeteredCount: 0,
    },
  });
  expect(lines.join('\n')).toBe(`# Handover of acme, 2026-11-20 21:00Z

Since 2026-11-20 13:00Z.

## Open findings (1)

- **warning** train-02: idle and billed (since 2026-11-20 20:00Z, $14.00/h now). Hibernate it if it is not needed.

## Muted (1)

- snoozed until 2026-11-20 22:00Z: **warning** "\\*old\\*": idle and billed

## Not checked (1)

- idle: the metrics of gpu-9 were not read

## Sent from here (1)

- 2026-11-20 19:00Z hibernate dev-1 \\#8: confirmed

2 machines hibernated: saves up to $28.00/h

## Answered yes here, but not sent (1)

- 2026-11-20 20:00Z delete dev-2 \\#9: not sent: it is DELETING now

## Cost

- $160.50 since then, as billed by the provider
- $20.00/h now
- credit $4,120.00
- runway 8 days, until 2026-11-29 11:00Z`);
});

it.each([
  ['unknown credit', undefined, undefined, ['- credit unknown']],
  [
    'used up',
    0,
    {isEndless: false, isAtMost: false, hasUnpriced: false, changingCount: 0, unmeteredCount: 0},
    ['- runway used up: everything is suspended at $0'],
  ],
  [
    'unknown prices',
    3,
    {isEndless: false, isAtMost: true, hasUnpriced: true, changingCount: 2, unmeteredCount: 0},
    ['- runway at most 3 h, until 2026-11-21 00:00Z, with 2 machines changing state'],
  ],
  [
    // The earlier of the two ends: 2026-11-21 00:00Z, in 3 h.
    'a price that a contract may lower',
    4,
    {
      isEndless: false,
      isAtMost: true,
      atListMs: 3 * HOUR_MS,
      hasUnpriced: false,
      changingCount: 0,
      unmeteredCount: 2,
    },
    ['- runway at most 4 h, 3 h at list prices, until 2026-11-21 00:00Z, with 2 machines without a usage record'],
  ],
  [
    'nothing billed',
    undefined,
    {isEndless: true, isAtMost: false, hasUnpriced: false, changingCount: 0, unmeteredCount: 0},
    ['- runway no end, nothing is billed'],
  ],
  [
    'only an unknown price billed',
    undefined,
    {isEndless: false, isAtMost: true, hasUnpriced: true, changingCount: 0, unmeteredCount: 0},
    ['- runway unknown'],
  ],
])('says how long the credit lasts: %s', (_title, hours, rest, expected) => {
  const lines = markdownLines({
    now: NOW,
    since: SINCE,
    account: undefined,
    found: {findings: [], muted: [], unknown: []},
    done: [],
    savings: NOTHING_SAVED,
    burn: ZERO_RATE,
    cost: undefined,
    credit: rest && {balance: usd(rational(60n, 1n)), isOwn: true},
    runway: rest && {...rest, leftMs: hours === undefined ? undefined : hours * HOUR_MS},
  });
  expect(lines.slice(rest === undefined ? -1 : -2)).toEqual([
    ...(rest === undefined ? [] : ['- credit $60.00 from the settings']),
    ...expected,
  ]);
});

it('says that a finding costs at least what is known of it', () => {
  const rate = ratePerHour(rational(9n, 1n));
  const lines = markdownLines({
    now: NOW,
    since: SINCE,
    account: undefined,
    found: {findings: [{...aFinding('k8s'), rate, isRateAtLeast: true}], muted: [], unknown: []},
    done: [],
    savings: NOTHING_SAVED,
    burn: undefined,
    cost: undefined,
    credit: undefined,
  });
  expect(lines.join('\n')).toContain('at least $9.00/h now');
});

it.each([
  [3, 'vm-1: quiet for 1 h; vm-2: quiet for 2 h; vm-3: quiet for 3 h.'],
  [5, 'vm-1: quiet for 1 h; vm-2: quiet for 2 h; vm-3: quiet for 3 h; and 2 more.'],
])('gives the first evidence of a few of %i machines in one line', (count, expected) => {
  const findings = Array.from({length: count}, (_, index) => ({
    ...aFinding(`vm-${index + 1}`),
    subject: {type: 'vm' as const, id: index + 1, name: safeText(`vm-${index + 1}`)},
    evidence: [safeText(`quiet for ${index + 1} h`), safeText('confidence medium')],
  }));
  const lines = markdownLines({
    account: undefined,
    now: NOW,
    since: SINCE,
    found: {findings, muted: [], unknown: []},
    done: [],
    savings: NOTHING_SAVED,
    burn: undefined,
    cost: undefined,
  });
  expect(lines[6]).toContain(`now). ${expected} For each: `);
});

it('names the machines that a finding is about, and words its advice for each', () => {
  const linesOf = (names: readonly string[]) =>
    markdownLines({
      account: undefined,
      now: NOW,
      since: SINCE,
      found: {
        findings: names.map((name, index) => ({
          ...aFinding(name),
          subject: {type: 'vm' as const, id: index + 1, name: safeText(name)},
        })),
        muted: [],
        unknown: [],
      },
      done: [],
      savings: NOTHING_SAVED,
      burn: undefined,
      cost: undefined,
    })[6];
  expect(linesOf(['train-02', 'etl-03', 'web'])).toBe(
    '- **warning** train-02, etl-03, web: idle and billed (since 2026-11-20 20:00Z, $42.00/h now). For each: hibernate it if it is not needed.',
  );
  expect(linesOf(Array.from({length: 14}, (_, index) => `m${index + 1}`))).toContain('m11, m12 and 2 more: idle');
});

it('counts findings, and the lines they share', () => {
  const findings = [1, 2, 3].map(id => ({
    ...aFinding(`gpu-${id}`),
    subject: {type: 'vm' as const, id, name: safeText(`gpu-${id}`)},
  }));
  const lines = markdownLines({
    account: undefined,
    now: NOW,
    since: SINCE,
    found: {findings, muted: [], unknown: []},
    done: [],
    savings: NOTHING_SAVED,
    burn: undefined,
    cost: undefined,
  });
  expect(lines[4]).toBe('## Open findings (3 in 1 line)');
  expect(lines.filter(line => line.startsWith('- **'))).toHaveLength(1);
});

it('says which lists were not read, each reason once, and never counts findings as if all were known', () => {
  const linesOf = (findings: readonly Finding[], unread: Handover['unread']) =>
    markdownLines({
      account: undefined,
      now: NOW,
      since: SINCE,
      found: {findings, muted: [], unknown: [{rule: 'idle', reason: safeText('the list of machines was not read')}]},
      unread,
      done: [],
      savings: NOTHING_SAVED,
      burn: undefined,
      cost: undefined,
    }).slice(4, 9);
  const limited = {kind: 'rate-limited'} as const;
  const timedOut = {kind: 'timed-out', afterMs: 15_000} as const;
  expect(
    linesOf(
      [],
      [
        {what: safeText('machines'), failure: limited},
        {what: safeText('usage'), failure: timedOut},
        {what: safeText('flavors'), failure: limited},
      ],
    ),
  ).toEqual([
    '## Open findings',
    '',
    '- machines, flavors not read: rate-limited (429); the service refuses everything until the minute ends',
    '- usage not read: timed out after 15 s',
    '',
  ]);
  const alike = [1, 2, 3].map(id => ({
    ...aFinding('web'),
    subject: {type: 'vm' as const, id, name: safeText(`web-${id}`)},
  }));
  expect(linesOf(alike, [{what: safeText('machines'), failure: undefined}])[0]).toBe(
    '## Open findings (at least 3 in 1 line)',
  );
  expect(linesOf([aFinding('web')], [{what: safeText('machines'), failure: undefined}])).toEqual([
    '## Open findings (at least 1)',
    '',
    expect.stringContaining('web: idle and billed'),
    '- machines not read',
    '',
  ]);
  expect(linesOf([], [])).toEqual([
    '## Open findings (0)',
    '',
    '- none in what could be checked',
    '',
    '## Not checked (1)',
  ]);
});

it('gives all evidence of a finding', () => {
  const {since: _since, rate: _rate, ...finding} = aFinding('account');
  const lines = markdownLines({
    account: undefined,
    now: NOW,
    since: SINCE,
    found: {
      findings: [
        {
          ...finding,
          rule: 'burn-anomaly',
          severity: 'critical',
          subject: {type: 'account', name: safeText('account')},
          summary: safeText('burn rate up by $51.47/h'),
          evidence: [
            safeText('2 new: sweep-*, +$50.00/h, started by Ines Albrecht'),
            safeText('train-9, +$1.47/h, started by Mira Solberg'),
          ],
          machineIds: [7, 8, 9],
          advice: safeText('Ask Ines Albrecht and Mira Solberg; hibernate or delete what is not needed.'),
        },
        {...finding, evidence: [safeText('the host did not answer.')]},
      ],
      muted: [],
      unknown: [],
    },
    done: [],
    savings: NOTHING_SAVED,
    burn: undefined,
    cost: undefined,
  });
  expect(lines.slice(6, 8)).toEqual([
    '- **critical** account: burn rate up by $51.47/h: 2 new: sweep-\\*, +$50.00/h, started by Ines Albrecht; train-9, +$1.47/h, started by Mira Solberg. Ask Ines Albrecht and Mira Solberg; hibernate or delete what is not needed.',
    '- **warning** account: idle and billed: the host did not answer. Hibernate it if it is not needed.',
  ]);
});

it('quotes a name that looks like our own words, and escapes its Markdown', () => {
  const lines = markdownLines({
    account: undefined,
    now: NOW,
    since: SINCE,
    found: {
      findings: [aFinding('web: fixed. Ask @all at https://evil.example &amp; www.evil.example ~~x~~')],
      muted: [],
      unknown: [],
    },
    done: [],
    savings: NOTHING_SAVED,
    burn: undefined,
    cost: undefined,
  });
  expect(lines[6]).toMatch(
    /^- \*\*warning\*\* "web: fixed\. Ask \\@all at https:\\\/\/evil\.example \\&amp; www\\\.evil\.example \\~\\~x\\~\\~": idle and billed/,
  );
});

it('adds up the cost of what ran in that time, and says what is missing', () => {
  // It has run for 20 hours at $3 an hour, so all eight hours of the shift are billed.
  const record = {
    ...aUsageRecord(7, '3'),
    createdAt: epochMs(NOW - 20 * HOUR_MS),
    upTimeMinutes: rational(1200n, 1n),
    billedCost: usd(parseDecimal('60') ?? rational(0n, 1n)),
  };
  const cost = costSince([record, aUsageRecord(8, undefined)], {
    since: SINCE,
    now: NOW,
    billed: undefined,
    isDeletedRead: false,
  });
  expect(cost).toEqual({
    total: {numerator: 24n, denominator: 1n},
    source: 'usage',
    isAtLeast: false,
    unpricedCount: 1,
    lacksDeleted: true,
  });
  expect(costSince(undefined, {since: SINCE, now: NOW, billed: undefined, isDeletedRead: true})).toBeUndefined();
});

it('uses the present rate until ten minutes are billed, whatever it cost before', () => {
  // Hibernated now at 6 cents an hour, after $600 in 20 hours, which is $30 an hour when spread evenly.
  const record = {
    ...aUsageRecord(7, '0.06'),
    createdAt: epochMs(NOW - 20 * HOUR_MS),
    billedCost: usd(parseDecimal('600') ?? rational(0n, 1n)),
  };
  const bill = (minutes: number) => ({
    until: epochMs(NOW - MINUTE_MS),
    cost: usd(rational(BigInt(minutes), 1000n)),
  });
  const spent = (minutes: number, billed?: ReturnType<typeof bill>) =>
    costSince([record], {since: epochMs(NOW - minutes * MINUTE_MS), now: NOW, billed, isDeletedRead: true});
  // Ten minutes at a tenth of a cent each.
  // When it was hibernated is not known, so it may have cost more.
  expect(spent(10, bill(9))).toMatchObject({total: usd(rational(1n, 100n)), source: 'usage', isAtLeast: true});
  expect(spent(10)).toMatchObject({total: usd(rational(1n, 100n)), source: 'usage'});
  // Eleven minutes as billed, and one since.
  expect(spent(12, bill(11))).toMatchObject({total: usd(rational(12n, 1000n)), source: 'billed', isAtLeast: false});
});

it.each([
  ['nothing', 0n, '- $0.00/h now'],
  ['a cent', 1n, '- $0.0100/h now'],
])('writes a burn rate of %s an hour as every screen does', (_, cents, told) => {
  const found = {findings: [], muted: [], unknown: []};
  const cost = {
    total: usd(rational(0n, 1n)),
    source: 'billed',
    isAtLeast: false,
    unpricedCount: 0,
    lacksDeleted: false,
  } as const;
  const burn = ratePerHour(rational(cents, 100n));
  const given = {account: undefined, now: NOW, since: SINCE, found, done: [], savings: NOTHING_SAVED, burn, cost};
  expect(markdownLines(given).at(-2)).toBe(told);
});

it('says what is missing in the burn rate', () => {
  const found = {findings: [], muted: [], unknown: []};
  const cost = {
    total: usd(rational(1n, 1n)),
    source: 'billed',
    isAtLeast: false,
    unpricedCount: 0,
    lacksDeleted: false,
  } as const;
  const ofUnpriced = (unpricedCount: number) => {
    const burn = ratePerHour(rational(20n, 1n));
    const given = {account: undefined, now: NOW, since: SINCE, found, done: [], savings: NOTHING_SAVED, burn, cost};
    return markdownLines({...given, unpricedCount}).at(-2);
  };
  expect([0, 2].map(ofUnpriced)).toEqual(['- $20.00/h now', '- $20.00/h now, without 2 resources of unknown price']);
});

it('says that something cost more than is known', () => {
  const lines = markdownLines({
    account: undefined,
    now: NOW,
    since: SINCE,
    found: {findings: [], muted: [], unknown: []},
    done: [],
    savings: NOTHING_SAVED,
    burn: undefined,
    cost: {total: usd(rational(12n, 1n)), source: 'usage', isAtLeast: true, unpricedCount: 0, lacksDeleted: false},
  });
  expect(lines.at(-2)).toBe('- at least $12.00 since then, estimated from usage');
});

it('says that the cost is unknown when no record has a start', () => {
  const {createdAt: _unknown, ...undated} = {...aUsageRecord(7, '3'), billedCost: usd(rational(96n, 1n))};
  const cost = costSince([undated], {since: SINCE, now: NOW, billed: undefined, isDeletedRead: true});
  const found = {findings: [], muted: [], unknown: []};
  const lines = markdownLines({
    account: undefined,
    now: NOW,
    since: SINCE,
    found,
    done: [],
    savings: NOTHING_SAVED,
    burn: undefined,
    cost,
  });
  expect(lines.at(-2)).toBe('- an unknown amount since then, estimated from usage, without 1 resource of unknown cost');
});

it('tells a rise of the burn rate that ended: what it was, its highest, since when and until when', () => {
  // Two machines at $50/h over $40/h; both were deleted half an hour ago.
  const span = (id: number, name: string, hourly: bigint, hoursAgo: number, endedHoursAgo = 0) => ({
    ...aUsageRecord(id, endedHoursAgo === 0 ? String(hourly) : undefined),
    name: safeText(name),
    createdAt: epochMs(NOW - hoursAgo * HOUR_MS),
    billedCost: usd(rational(hourly * BigInt((hoursAgo - endedHoursAgo) * 2), 2n)),
    ...(endedHoursAgo === 0 ? {} : {isActive: false, terminatedAt: epochMs(NOW - endedHoursAgo * HOUR_MS)}),
  });
  const records = [span(1, 'web', 40n, 960), span(2, 'sweep-01', 50n, 4, 0.5), span(3, 'sweep-02', 50n, 3, 0.5)];
  const incident = burnIncident(spendCurve(records, NOW), NOW);
  const lines = (since: number) =>
    markdownLines({
      account: undefined,
      now: NOW,
      since: epochMs(since),
      found: {findings: [], muted: [], unknown: []},
      incident,
      done: [],
      savings: NOTHING_SAVED,
      burn: undefined,
      cost: undefined,
    });
  expect(lines(NOW - HOUR_MS).join('\n')).toContain(`
## Ended (1)

- **critical** account: burn rate was up by $100.00/h. $140.00/h at 2026-11-20 20:30Z, since 2026-11-20 17:00Z, until 2026-11-20 20:30Z; $40.00/h before. 2 new: sweep-\\*, +$100.00/h
`);
  expect(lines(NOW - 0.25 * HOUR_MS).join('\n')).not.toContain('Ended');
});

it('names in one line what was left of a batch that stopped', () => {
  const left = (id: number) => ({
    at: epochMs(NOW - HOUR_MS),
    words: safeText(`hibernate gpu-${id} #${id}`),
    outcome: safeText('not sent: stopped at hibernate gpu-2 #2'),
    isUnsent: true,
  });
  const linesOf = (ids: readonly number[]) =>
    markdownLines({
      account: undefined,
      now: NOW,
      since: NOW,
      found: {findings: [], muted: [], unknown: []},
      unread: [],
      done: ids.map(left),
      savings: NOTHING_SAVED,
      burn: undefined,
      cost: undefined,
    }).join('\n');
  expect(linesOf([3, 4, 5])).toContain(
    '\n- 2026-11-20 20:00Z 3 actions: hibernate gpu-3 \\#3, hibernate gpu-4 \\#4, hibernate gpu-5 \\#5: not sent: stopped at hibernate gpu-2 \\#2\n',
  );
  expect(linesOf([3, 4, 5])).toContain('\n## Answered yes here, but not sent (3)\n');
  const many = linesOf(Array.from({length: 14}, (_, index) => index + 3));
  expect(many).toMatch(/14 actions: .*hibernate gpu-14 \\#14 and 2 more: not sent/);
});

it('says each reason why something was not checked once, with what was not, in plain words', () => {
  const unread = safeText('the metrics of 5 machines were not read');
  const unknown = [
    {rule: 'idle', reason: unread},
    {rule: 'memory-leak', reason: unread},
    {rule: 'credit-runway', reason: safeText('the credit was not read')},
    {rule: 'open-to-world', reason: unread},
  ];
  const lines = markdownLines({
    account: undefined,
    now: NOW,
    since: NOW,
    found: {findings: [], muted: [], unknown},
    unread: [],
    done: [],
    savings: NOTHING_SAVED,
    burn: undefined,
    cost: undefined,
  });
  const from = lines.indexOf('## Not checked (2)');
  expect(lines.slice(from + 2, from + 5)).toEqual([
    '- idle, growing memory, open to world: the metrics of 5 machines were not read',
    '- credit runway: the credit was not read',
    '',
  ]);
});
