import type {Contract} from '../world/machine.ts';
import type {Blueprint} from '../world/scenario.ts';
import {leakFullAfterMs} from '../world/workload.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const ENDING_CONTRACT_ID = 118;
export const LASTING_CONTRACT_ID = 97;

/** One contract ends in six days and takes what it covers with it; the other has most of a year to go. */
export function contracts(startedAt: number, soonDays = 6): Contract[] {
  return [
    {
      id: LASTING_CONTRACT_ID,
      description: 'L40 inference, one year',
      startsAt: startedAt - 61 * DAY_MS,
      endsAt: startedAt + 304 * DAY_MS,
      expirationPolicy: 1,
      discountPercent: 30,
      discounts: [{flavorName: 'n3-L40x1', count: 2, type: 'flat', code: 'L40-YEAR'}],
    },
    {
      id: ENDING_CONTRACT_ID,
      description: 'H100 training, quarter',
      startsAt: startedAt - (92 - soonDays) * DAY_MS,
      endsAt: startedAt + soonDays * DAY_MS,
      expirationPolicy: 0,
      discountPercent: 30,
      // One of the three is paid for and not there.
      discounts: [
        {flavorName: 'n3-H100x8', count: 1, type: 'percent'},
        {flavorName: 'n3-H100x8-NVLink', count: 2, type: 'percent'},
      ],
    },
  ];
}

/** What an on-call engineer is meant to find, worst first. */
export function troubledFleet(startedAt: number): Blueprint[] {
  const ago = (ms: number) => startedAt - ms;
  return [...wastedMachines(ago), ...brokenMachines(ago), ...exposedMachines(ago), ...sleepingMachines(ago)];
}

type Ago = (ms: number) => number;

function wastedMachines(ago: Ago): Blueprint[] {
  return [
    {
      // Stopped to save money, which stopping does not do.
      name: 'train-03',
      flavorName: 'n3-H100-SXM5x8',
      environmentName: 'research-ca',
      workload: {kind: 'training'},
      createdAt: ago(12.6 * DAY_MS),
      labels: ['team=ml'],
      past: [{at: ago(9 * HOUR_MS + 14 * MINUTE_MS), verb: 'stop'}],
    },
    {
      // Its job ended yesterday; nobody has taken the machine away.
      name: 'train-02',
      flavorName: 'n3-H100x8',
      environmentName: 'research-ca',
      workload: {kind: 'ended', endedAt: ago(26 * HOUR_MS)},
      createdAt: ago(13.1 * DAY_MS),
      labels: ['team=ml', 'prod'],
      contractId: ENDING_CONTRACT_ID,
      volumes: [{name: 'checkpoints-02', sizeGb: 3000}],
    },
    {
      name: 'sweep-04',
      flavorName: 'n3-A100x4',
      environmentName: 'research-ca',
      workload: {kind: 'ended', endedAt: ago(3 * HOUR_MS + 20 * MINUTE_MS)},
      createdAt: ago(4.3 * DAY_MS),
      labels: ['team=ml'],
      hasPublicIp: true,
    },
    {
      name: 'train-05',
      flavorName: 'n3-H100x8-NVLink',
      environmentName: 'research-ca',
      workload: {kind: 'training'},
      createdAt: ago(30.5 * DAY_MS),
      labels: ['team=ml', 'prod'],
      contractId: ENDING_CONTRACT_ID,
    },
  ];
}

function brokenMachines(ago: Ago): Blueprint[] {
  const leakSinceMs = 30 * HOUR_MS;
  return [
    {
      name: 'etl-03',
      flavorName: 'n3-RTX-A6000x1',
      environmentName: 'production-no',
      workload: {kind: 'batch'},
      createdAt: ago(24.2 * DAY_MS),
      labels: ['team=data'],
      past: [{at: ago(27 * MINUTE_MS), verb: 'hibernate', fails: true, takesMs: 6 * MINUTE_MS}],
    },
    {
      name: 'infer-04',
      flavorName: 'n3-L40x1',
      environmentName: 'production-ca',
      workload: {kind: 'leaking', fullAfterMs: leakFullAfterMs(leakSinceMs, 0.965)},
      createdAt: ago(40.9 * DAY_MS),
      labels: ['prod', 'team=serving'],
      hasPublicIp: true,
      worldPorts: [443],
      past: [{at: ago(leakSinceMs + MINUTE_MS), verb: 'hard-reboot', takesMs: MINUTE_MS}],
    },
    {
      name: 'infer-06',
      flavorName: 'n3-A100x1',
      environmentName: 'production-no',
      workload: {kind: 'crashed', crashedAt: ago(2 * HOUR_MS + 10 * MINUTE_MS)},
      createdAt: ago(33.1 * DAY_MS),
      labels: ['prod', 'team=serving'],
      hasPublicIp: true,
      worldPorts: [443],
    },
  ];
}

function exposedMachines(ago: Ago): Blueprint[] {
  return [
    {
      name: 'labeling-01',
      flavorName: 'n3-RTX-A6000x1',
      environmentName: 'production-no',
      workload: {kind: 'interactive'},
      createdAt: ago(11.4 * DAY_MS),
      labels: ['team=data'],
      hasPublicIp: true,
      worldPorts: [22],
    },
    {
      name: 'jupyter-mira',
      flavorName: 'n3-A100x1',
      environmentName: 'research-ca',
      workload: {kind: 'interactive'},
      createdAt: ago(2.6 * DAY_MS),
      labels: [],
      hasPublicIp: true,
      worldPorts: [22, 8888],
    },
  ];
}

function sleepingMachines(ago: Ago): Blueprint[] {
  return [
    {
      // Still going to sleep when the world opens, asleep six seconds later.
      name: 'dev-noe',
      flavorName: 'n3-RTX-A6000x2',
      environmentName: 'dev sandbox',
      workload: {kind: 'interactive'},
      createdAt: ago(8.8 * DAY_MS),
      labels: ['team=ml'],
      hasPublicIp: true,
      past: [{at: ago(11 * MINUTE_MS), verb: 'hibernate', takesMs: 11 * MINUTE_MS + 6000}],
    },
    {
      name: 'dev-ines',
      flavorName: 'n3-RTX-A6000x1',
      environmentName: 'dev sandbox',
      workload: {kind: 'interactive'},
      createdAt: ago(50.2 * DAY_MS),
      labels: ['team=platform'],
      past: [{at: ago(3.1 * DAY_MS), verb: 'hibernate'}],
    },
    {
      // Its flavor is out of stock: a restore will not succeed.
      name: 'sweep-02',
      flavorName: 'n3-H100x2',
      environmentName: 'research-ca',
      workload: {kind: 'training'},
      createdAt: ago(35.9 * DAY_MS),
      labels: ['team=ml'],
      hasPublicIp: true,
      past: [{at: ago(6.4 * DAY_MS), verb: 'hibernate', retainsIp: true}],
    },
    {
      name: 'ci-runner-02',
      flavorName: 'n1-cpu-medium',
      environmentName: 'dev sandbox',
      workload: {kind: 'interactive'},
      createdAt: ago(45.5 * DAY_MS),
      labels: ['team=ci'],
      past: [
        {at: ago(75 * MINUTE_MS), verb: 'stop'},
        {at: ago(50 * MINUTE_MS), verb: 'start'},
      ],
    },
  ];
}
