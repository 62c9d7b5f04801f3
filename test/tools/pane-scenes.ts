import {type PictureScene, READ, TRUECOLOR} from './scene.ts';

/** Two minutes of the eight GPUs of a machine, as the driver's program prints them; two of them wait for the others. */
const NVIDIA_SMI = Array.from({length: 24}, (_, reading) =>
  Array.from({length: 8}, (_unused, gpu) => {
    const load = gpu > 5 ? 3 * gpu : 91 + ((reading * 3 + gpu * 5) % 9);
    const watts = (75 + 6.1 * load).toFixed(2);
    return `${gpu}, NVIDIA H100 80GB HBM3, ${load}, ${61_234 + 512 * gpu}, 81559, ${watts}, 700.00, ${31 + Math.round(load / 2.6)}`;
  }),
).flat();

/** Every list of every pane. */
export const PANE_SCENES: readonly PictureScene[] = [
  {name: 'overview', pane: '1', keys: [], env: TRUECOLOR, isDrawn: true, shows: 'needs attention'},
  {name: 'machines', pane: '2', keys: [], env: TRUECOLOR, isDrawn: true, shows: /train-01 .*ACTIVE/},
  {name: 'machines-detail', pane: '2', keys: ['enter'], env: TRUECOLOR, shows: 'CPU'},
  {name: 'filter', pane: '2', keys: ['/', 'cpu>x'], env: TRUECOLOR, shows: 'expected a number'},
  {
    name: 'names',
    pane: '2',
    keys: ['/', '/-01$|launch/', 'enter', 'wait:2000'],
    env: TRUECOLOR,
    shows: /推論サー.*ACTIVE/,
  },
  {name: 'clusters', pane: '3', keys: [], env: TRUECOLOR, shows: /embed .*RECONCILING/},
  {
    name: 'cluster-stuck',
    pane: '3',
    scenario: 'stuck-cluster',
    keys: [],
    env: TRUECOLOR,
    isDrawn: true,
    shows: 'STUCK',
  },
  {name: 'firewalls', pane: '4', keys: ['tab'], env: TRUECOLOR, shows: /rules of edge/},
  {name: 'billing', pane: '5', keys: [], env: TRUECOLOR, isDrawn: true, shows: 'top spenders'},
  {name: 'volumes', pane: '6', keys: [], env: TRUECOLOR, shows: /scratch-3 .*nothing/},
  {name: 'fleet-map', pane: '2', keys: ['+', 'wait:60000'], env: TRUECOLOR, shows: 'by environment, CPU utilization'},
  {
    name: 'gpu-columns',
    pane: '2',
    keys: [],
    hasPrometheus: true,
    env: TRUECOLOR,
    shows: /GPU 1h[\s\S]*train-01[\s\S]*9\d%/,
  },
  {
    name: 'gpu-detail',
    pane: '2',
    keys: ['enter', 'wait:2000'],
    hasPrometheus: true,
    env: TRUECOLOR,
    shows: /GPU .*%/,
  },
  {
    name: 'gpu-panel',
    pane: '2',
    keys: ['u', READ, 'y', 'wait:ssh', 'wait:1000'],
    sshPrints: NVIDIA_SMI,
    env: TRUECOLOR,
    shows: /GPUs of train-01, by nvidia-smi[\s\S]*99% ━/,
  },
  {
    name: 'fleet-map-gpus',
    pane: '2',
    keys: ['+', 'v', 'g', 'wait:2000'],
    hasPrometheus: true,
    env: TRUECOLOR,
    shows: 'by environment, GPU utilization',
  },
  {
    name: 'fleet-map-10000',
    scenario: 'big',
    pane: '2',
    keys: ['+', 'v', 's', 'wait:40000'],
    env: TRUECOLOR,
    sizes: [{columns: 200, rows: 50}],
    shows: '10,000 of 10,000  by environment, state',
  },
  {
    name: 'timeline',
    scenario: 'runaway-spend',
    pane: '9',
    keys: ['wait:60000'],
    env: TRUECOLOR,
    sizes: [
      {columns: 120, rows: 35},
      {columns: 200, rows: 50},
    ],
    shows: /Instance creation was req/,
  },
  {name: 'waste', pane: '5', keys: ['tab', 'wait:2000'], env: TRUECOLOR, shows: /stopped|shut off/},
  {name: 'handover', pane: '1', keys: [':', 'handover', 'enter', 'wait:2000'], env: TRUECOLOR, shows: 'Handover of'},
  {name: 'buckets', pane: '7', keys: [], env: TRUECOLOR, shows: /datasets-raw .*CANADA/},
  {name: 'access-keys', pane: '7', keys: ['tab', 'wait:2000'], env: TRUECOLOR, shows: 'secret key'},
  {name: 'flavors', pane: '8', keys: [], env: TRUECOLOR, shows: /n3-H100x2 .*none/},
  {name: 'images', pane: '8', keys: ['tab', 'wait:2000'], env: TRUECOLOR, shows: 'infer-base with weights'},
  {name: 'key-pairs', pane: '8', keys: ['tab', 'tab', 'wait:2000'], env: TRUECOLOR, shows: '佐藤の鍵'},
  {name: 'environments', pane: '8', keys: ['tab', 'tab', 'tab', 'wait:2000'], env: TRUECOLOR, shows: /of 250 machines/},
  {name: 'prices', pane: '8', keys: ['tab', 'tab', 'tab', 'tab', 'wait:2000'], env: TRUECOLOR, shows: 'H200-141G-SXM5'},
  {name: 'gpus', pane: '8', keys: ['shift-tab', 'wait:2000'], env: TRUECOLOR, shows: /NORWAY-1 \d/},
  {
    name: 'record',
    pane: '8',
    keys: ['tab', 'tab', 'tab', 'y', 'wait:2000'],
    env: TRUECOLOR,
    shows: '"features"',
  },
  {name: 'machine-cost', pane: '2', keys: ['$', 'wait:2000'], env: TRUECOLOR, shows: 'billed'},
  {name: 'account', pane: '0', keys: [], env: TRUECOLOR, shows: /SERVICE COUNTS/},
  {name: 'members', pane: '0', keys: ['tab', 'wait:2000'], env: TRUECOLOR, shows: 'Tomasz Wrona'},
  {name: 'permissions', pane: '0', keys: ['tab', 'tab', 'wait:2000', 'j', 'j'], env: TRUECOLOR, shows: 'firewalls'},
  {name: 'roles', pane: '0', keys: ['tab', 'tab', 'tab', 'wait:2000'], env: TRUECOLOR, shows: 'owner-policy'},
  {
    name: 'journal',
    pane: '2',
    keys: ['/', 'sweep-04', 'enter', 'p', 'x', READ, 'y', 'wait:20000', ':', 'journal', 'enter'],
    env: TRUECOLOR,
    shows: 'confirmed',
  },
];
