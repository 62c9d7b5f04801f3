import {type PictureScene, TRUECOLOR} from './scene.ts';

/** The deck where something is missing: colours, signs, answers, the service, or anything to show. */
export const LOOK_SCENES: readonly PictureScene[] = [
  {name: 'help', pane: '2', keys: ['?'], env: TRUECOLOR, shows: 'Everywhere'},
  {name: 'palette', pane: '2', keys: [':', 're'], env: TRUECOLOR, shows: 'reverse'},
  {name: 'read-only', pane: '2', keys: [], arguments: ['--read-only'], env: TRUECOLOR, shows: 'READ-ONLY'},
  {
    name: 'service-away',
    pane: '2',
    keys: ['wait:55000'],
    env: TRUECOLOR,
    faults: {from: 'loaded', specs: ['status=503,match=* *']},
    shows: 'service failing',
  },
  {name: 'empty-account', pane: '2', scenario: 'empty', keys: [], env: TRUECOLOR, shows: 'no machines'},
  {
    name: 'loading',
    pane: '2',
    keys: [],
    env: TRUECOLOR,
    faults: {from: 'start', specs: ['kind=latency:1m,match=* *']},
    isUnanswered: true,
    shows: 'reading the machines',
  },
  {name: 'ascii', pane: '2', keys: [], arguments: ['--ascii'], env: TRUECOLOR, shows: /train-01 .*ACTIVE/},
  {name: 'no-colour', pane: '2', keys: [], env: {NO_COLOR: '1'}, shows: /train-01 .*ACTIVE/},
  {name: '16-colours', pane: '2', keys: [], env: {FORCE_COLOR: '1'}, shows: /train-01 .*ACTIVE/},
  {
    name: 'light',
    pane: '2',
    keys: [],
    env: {...TRUECOLOR, COLORFGBG: '0;15'},
    paper: {ink: '#24292f', ground: '#ffffff'},
    shows: /train-01 .*ACTIVE/,
  },
];
