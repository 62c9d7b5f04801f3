import type {OrganizationUser} from '../../domain/account.ts';
import {burnRate, runwayText} from '../../domain/cost.ts';
import type {ComputeTotals, VolumeTotals} from '../../domain/dashboard.ts';
import {type Failure, isKeyRefused} from '../../domain/failure.ts';
import {isPositive, type Rate} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {failureOf, lastValue} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {causeOf, momentText} from '../../resources/detail.ts';
import {roleNames, userOf} from '../../resources/members.ts';
import {type Column, text} from '../../resources/column.ts';
import {dashboardFeed, meFeed, organizationFeed} from '../../state/account.ts';
import {creditFeed, knownCredit, presentRunway, usageFeed} from '../../state/billing.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {environmentsFeed, quotaFeed} from '../../state/environments.ts';
import type {Feed} from '../../state/feed.ts';
import type {KnownOnce} from '../../state/known.ts';
import {machinesFeed, observedMachines} from '../../state/machines.ts';
import type {Store} from '../../state/store.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatCount, formatGigabytes, formatRate, formatRunway, formatUsd, UNKNOWN} from '../../ui/format.ts';
import type {Tone} from '../../ui/theme.ts';
import type {Scene} from '../pane.ts';
import {creditText} from '../runway.ts';

/** One line about the account: the count we know, beside the one on the service's own dashboard. */
export type FactRow = {
  readonly id: string;
  readonly what: SafeText;
  readonly value: string | undefined;
  /** What the figure is read from; none for a count of the service's own. */
  readonly source?: Feed<unknown>;
  /** Why there is no figure, if that was not read. */
  readonly failure?: Failure | undefined;
  /** Absent if the dashboard has no such count; `value` is undefined if it left the figure out. */
  readonly dashboard?: {readonly value: string | undefined; readonly differs: boolean};
  /** What the copy key copies, if that is not the title. */
  readonly copied?: SafeText | undefined;
  /** How the figure is made up, in full sentences. */
  readonly words: readonly string[];
};

type AccountSources = Pick<KnownOnce, 'store' | 'preferences' | 'now' | 'monotonicNow'>;

/** The number of environments whose quota is read for this list; the list of environments shows it for each. */
export const MAX_QUOTA_COUNT = 6;

export function youRows(known: AccountSources): readonly FactRow[] | undefined {
  return [...personRows(known), ...countRows(known), ...quotaRows(known)].map(row => withFailure(row, known.store));
}

function withFailure(row: FactRow, store: Store): FactRow {
  const failure = row.value === undefined && row.source !== undefined ? failureOf(store.get(row.source)) : undefined;
  return failure === undefined ? row : {...row, failure, words: [`Not read: ${causeOf(failure)}.`, ...row.words]};
}

function personRows({store, preferences, now, monotonicNow}: AccountSources): readonly FactRow[] {
  const me = lastValue(store.get(meFeed));
  const organization = lastValue(store.get(organizationFeed));
  const credit = lastValue(store.get(creditFeed));
  const usage = lastValue(store.get(usageFeed));
  const user = userOf(organization, me);
  const present = knownCredit(store, preferences);
  const lasting = presentRunway({store, monotonicNow}, usage && burnRate(usage.records).rate, preferences);
  return [
    {
      id: 'user',
      source: meFeed,
      what: say`you`,
      value: me === undefined ? undefined : [me.name, me.email].filter(word => word !== undefined).join('  '),
      copied: me?.email,
      words: ['The user of this key: its actions are recorded under this name.', ...sinceWords(me?.createdAt, now)],
    },
    {
      id: 'role',
      source: organizationFeed,
      what: say`your roles`,
      value: user === undefined ? undefined : rolesText(user, {store}),
      words: ['A key has no permissions of its own: it can do what the roles of its user allow.'],
    },
    {
      id: 'organization',
      source: organizationFeed,
      what: say`organization`,
      value: organization === undefined ? undefined : `${organization.name}  #${organization.id}`,
      copied: organization?.name,
      words: [
        `${formatCount(organization?.users.length)} members. One key works for all its regions and environments.`,
        ...sinceWords(organization?.createdAt, now),
      ],
    },
    {
      id: 'credit',
      source: creditFeed,
      what: say`credit`,
      value:
        present === undefined
          ? undefined
          : `${creditText({store, preferences})}  runway ${runwayText(lasting, formatRunway)}`,
      words: [
        credit?.threshold === undefined
          ? 'The service gives no warning threshold.'
          : `The service warns below ${formatUsd(credit.threshold)}.`,
        'Below zero the service suspends everything. Billing (5) shows how it is spent.',
      ],
    },
  ];
}

function sinceWords(createdAt: EpochMs | undefined, now: EpochMs): readonly string[] {
  const moment = momentText(createdAt, now);
  return moment === undefined ? [] : [`Since ${moment}.`];
}

function rolesText(user: OrganizationUser, known: Pick<Scene, 'store'>): string {
  return [user.role, ...roleNames(user, known)].filter(word => word !== undefined).join('  ') || 'none named';
}

/** What we count from the lists, beside what the service counts itself. */
function countRows({store}: AccountSources): readonly FactRow[] {
  const dashboard = lastValue(store.get(dashboardFeed));
  const clusters = lastValue(store.get(clustersFeed))?.records;
  return [
    ...machineCounts(store, dashboard?.machines),
    countRow({
      id: 'clusters',
      source: clustersFeed,
      what: say`clusters`,
      ours: clusters?.length,
      theirs: dashboard?.clusters?.count,
      format: formatCount,
      words: ['Counted here: all clusters in the list, in every state.'],
    }),
    ...containerRows(dashboard?.containers),
    ...volumeCounts(store, dashboard?.volumes),
  ];
}

/** Only of an account that has some. */
function containerRows(containers: ComputeTotals | undefined): readonly FactRow[] {
  const {count, rate} = containers ?? {};
  if (!count && (rate === undefined || !isPositive(rate))) return [];
  return [
    {
      id: 'containers',
      what: say`containers`,
      value: `${formatCount(count)}, ${formatRate(rate)}`,
      words: ['Counted by the service. skydeck does not list containers, and its own sums do not include them.'],
    },
  ];
}

function machineCounts(store: Store, theirs: ComputeTotals | undefined): readonly FactRow[] {
  const machines = observedMachines(store);
  const words = ['Counted here: all machines in the list, in every state, nodes of clusters too.'];
  const sum = (of: (flavor: NonNullable<VirtualMachine['flavor']>) => number | undefined) =>
    machines?.reduce((total, {flavor}) => total + (flavor === undefined ? 0 : (of(flavor) ?? 0)), 0);
  const counted = {source: machinesFeed, format: formatCount, words};
  return [
    countRow({...counted, id: 'machines', what: say`machines`, ours: machines?.length, theirs: theirs?.count}),
    countRow({...counted, id: 'vcpus', what: say`vCPUs`, ours: sum(each => each.cpuCount), theirs: theirs?.cpuCount}),
    countRow({...counted, id: 'gpus', what: say`GPUs`, ours: sum(each => each.gpuCount), theirs: theirs?.gpuCount}),
    countRow({
      id: 'ram',
      source: machinesFeed,
      what: say`RAM`,
      ours: sum(each => each.ramGb),
      theirs: theirs?.ramGb,
      format: formatGigabytes,
      words,
    }),
    countRow({
      id: 'machine-rate',
      source: usageFeed,
      what: say`machines cost`,
      ours: paidFor({store}, 'vm'),
      theirs: theirs?.rate,
      format: formatRate,
      words: METERED,
    }),
  ];
}

function volumeCounts(store: Store, theirs: VolumeTotals | undefined): readonly FactRow[] {
  const volumes = lastValue(store.get(volumesFeed))?.records;
  return [
    countRow({
      id: 'volumes',
      source: volumesFeed,
      what: say`volumes`,
      ours: volumes?.length,
      theirs: theirs?.count,
      format: formatCount,
      words: ['Counted here: all volumes in the list, attached or not.'],
    }),
    countRow({
      id: 'volume-size',
      source: volumesFeed,
      what: say`on volumes`,
      ours: volumes?.reduce((sum, {sizeGb}) => sum + (sizeGb ?? 0), 0),
      theirs: theirs?.usedGb,
      format: formatGigabytes,
      words: ['Counted here: the total size of all volumes in the list.'],
    }),
    countRow({
      id: 'volume-rate',
      source: usageFeed,
      what: say`volumes cost`,
      ours: paidFor({store}, 'volume'),
      theirs: theirs?.rate,
      format: formatRate,
      words: METERED,
    }),
  ];
}

type Counted<T> = Pick<FactRow, 'id' | 'what' | 'source' | 'words'> & {
  /** As counted here, from the lists. */
  readonly ours: T | undefined;
  /** As the service counts it. */
  readonly theirs: T | undefined;
  readonly format: (value: T) => string;
};

function countRow<T>({ours, theirs, format, words, ...row}: Counted<T>): FactRow {
  const value = ours === undefined ? undefined : format(ours);
  const counted = theirs === undefined ? undefined : format(theirs);
  // A difference below the displayed precision does not count.
  const differs = value !== undefined && counted !== undefined && value !== counted;
  return {...row, value, dashboard: {value: counted, differs}, words: [...words, DASHBOARD_WORDS]};
}

const METERED = ['Counted here: the sum of the rates of all active usage records.'];

const DASHBOARD_WORDS =
  'The dashboard of the service counts by unpublished rules and at another moment, so it may differ.';

function paidFor({store}: Pick<Scene, 'store'>, resourceType: string): Rate | undefined {
  const records = lastValue(store.get(usageFeed))?.records;
  return records && burnRate(records.filter(record => record.resourceType.toLowerCase() === resourceType)).rate;
}

/** The limits the interface reports: how many more machines fit into each environment. */
function quotaRows({store}: AccountSources): readonly FactRow[] {
  const environments = lastValue(store.get(environmentsFeed))?.records ?? [];
  return environments.slice(0, MAX_QUOTA_COUNT).map(({id, name}) => {
    const quota = lastValue(store.get(quotaFeed(id)));
    return {
      id: `quota ${id}`,
      source: quotaFeed(id),
      what: say`room in ${name}`,
      value:
        quota === undefined
          ? undefined
          : `${formatCount(quota.currentCount)} of ${formatCount(quota.maxCount)} machines, ${formatCount(quota.availableCount)} left`,
      words: [
        'An environment has one network with a fixed number of addresses.',
        `${formatCount(environments.length)} environments in all; the pane Catalogue (8) lists them all.`,
      ],
    };
  });
}

export const FACT_COLUMNS: readonly Column<FactRow>[] = [
  {
    key: 'what',
    title: 'WHAT',
    value: ({what}) => text(what),
    list: {minWidth: 14, maxWidth: 40, flex: 1, tone: 'strong'},
  },
  {
    key: 'value',
    title: 'KNOWN HERE',
    value: ({value, failure}) => text(value ?? (failure && shortCause(failure))),
    list: {minWidth: 22, maxWidth: 80, flex: 2, isProse: true, tone: ({failure}) => (failure ? 'warning' : 'text')},
  },
  {
    key: 'service',
    title: 'SERVICE COUNTS',
    value: ({dashboard}) => text(dashboard && (dashboard.value ?? UNKNOWN)),
    list: {minWidth: 14, maxWidth: 24, tone: agreementTone, absent: ''},
  },
  {
    key: 'agrees',
    title: 'AGREES',
    value: ({dashboard, value}) =>
      text(dashboard?.value === undefined || value === undefined ? undefined : dashboard.differs ? 'differs' : 'yes'),
    list: {minWidth: 7, tone: agreementTone, absent: ''},
  },
];

/** The detail has the words of the service. */
function shortCause(failure: Failure): string {
  return failure.kind === 'not-authorised' && !isKeyRefused(failure) ? 'no permission' : 'not read';
}

function agreementTone({dashboard}: FactRow): Tone {
  return dashboard?.differs === true ? 'notice' : 'dim';
}
