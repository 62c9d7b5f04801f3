import type {FirewallBlueprint, InwardRule} from '../world/scenario.ts';

const DAY_MS = 86_400_000;
const WORLD = '0.0.0.0/0';
const WORLD_V6 = '::/0';
/** Where people sit; a documentation network. */
const OFFICE = '203.0.113.0/24';
const PRIVATE = '10.0.0.0/16';

type Row = readonly [
  name: string,
  environmentName: string,
  daysAgo: number,
  description: string,
  inward: readonly InwardRule[],
  machineNames: readonly string[],
];

const WEB: readonly InwardRule[] = [tcp(80, WORLD), tcp(443, WORLD), tcp(443, WORLD_V6)];
const KUBERNETES: readonly InwardRule[] = [
  tcp(6443, PRIVATE),
  tcp(10_250, PRIVATE),
  {protocol: 'udp', port: 8472, from: PRIVATE},
];

const ORDINARY: readonly Row[] = [
  ['web', 'production-ca', 86.1, 'What customers reach', WEB, ['infer-01', 'infer-02', 'infer-03', 'infer-04']],
  [
    'k8s-serve',
    'production-ca',
    36.5,
    'Between the nodes of the cluster serve',
    KUBERNETES,
    ['serve-master-0', 'serve-master-1', 'serve-worker-0', 'serve-worker-1', 'serve-worker-2'],
  ],
  [
    'office-ssh',
    'research-ca',
    62.4,
    'People, from the office',
    [tcp(22, OFFICE)],
    ['train-01', 'train-04', 'eval-02'],
  ],
  ['web-no', 'production-no', 70.9, '', WEB, ['infer-05', '推論サーバー-東京-01']],
  [
    'k8s-embed',
    'production-no',
    27.3,
    'Between the nodes of the cluster embed',
    KUBERNETES,
    ['embed-master-0', 'embed-master-1', 'embed-worker-0', 'embed-worker-1'],
  ],
  [
    'dev',
    'dev sandbox',
    44,
    'Notebooks and ssh, from the office',
    [tcp(22, OFFICE), tcp(8888, OFFICE), {protocol: 'icmp', from: OFFICE}],
    ['dev-tomasz', 'dev-aoi'],
  ],
];

const TROUBLED: readonly Row[] = [
  // Somebody needed ssh from a train, once.
  ['edge', 'research-ca', 12.2, 'ssh', [tcp(22, WORLD), tcp(22, OFFICE)], ['jupyter-mira', 'sweep-04']],
  ['lab-old', 'dev sandbox', 81.5, 'Left over from the lab days', [tcp(3389, WORLD), tcp(22, PRIVATE)], []],
];

/** Firewalls as they should be: the web is open to the world, everything else to those who need it. */
export function ordinaryFirewalls(startedAt: number): FirewallBlueprint[] {
  return ORDINARY.map(row => blueprintOf(row, startedAt));
}

/** One that lets the whole world in by ssh, and one that nobody uses any more. */
export function troubledFirewalls(startedAt: number): FirewallBlueprint[] {
  return TROUBLED.map(row => blueprintOf(row, startedAt));
}

function blueprintOf(
  [name, environmentName, daysAgo, description, inward, machineNames]: Row,
  startedAt: number,
): FirewallBlueprint {
  const createdAt = Math.floor((startedAt - daysAgo * DAY_MS) / 1000) * 1000;
  return {name, description, environmentName, createdAt, inward, machineNames};
}

function tcp(port: number, from: string): InwardRule {
  return {protocol: 'tcp', port, from};
}
