import {expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, HOUR_MS, monotonicMs} from '../../src/domain/time.ts';
import {historyLines, historyWants, subjectsOf} from '../../src/panes/history-lines.ts';
import {organizationFeed} from '../../src/state/account.ts';
import {eventsFeed, machinesFeed} from '../../src/state/machines.ts';
import {createStore} from '../../src/state/store.ts';
import {textOf} from '../../src/ui/text.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {aKnownScene, NOW} from './a-known-scene.ts';

const [first, second] = [
  aVirtualMachine({id: 7, name: safeText('gpu-7')}),
  aVirtualMachine({id: 8, name: safeText('gpu-8')}),
];

function aSceneWithEvents() {
  const store = createStore();
  const scene = {...aKnownScene({}), store};
  const event = (id: number, userId: number, hours: number) => ({
    occurredAt: epochMs(NOW - hours * HOUR_MS),
    type: safeText('normal'),
    reason: safeText('InstanceStopSuccess'),
    message: safeText(`Instance ${id} was stopped.`),
    userId,
  });
  const users = [
    {id: 1, name: safeText('Ana'), grantedRoles: []},
    {id: 2, name: safeText('Bo'), grantedRoles: []},
  ];
  store.writeValue(organizationFeed, {id: 1, name: safeText('acme'), users}, monotonicMs(1));
  store.writeValue(machinesFeed, aListing([first, second]), monotonicMs(1));
  store.writeValue(eventsFeed(first.id), {records: [event(7, 1, 2), event(7, 2, 5)], quarantined: []}, monotonicMs(1));
  store.writeValue(eventsFeed(second.id), {records: [event(8, 2, 1)], quarantined: []}, monotonicMs(1));
  return scene;
}

const told = (lines: ReturnType<typeof historyLines>) => lines.map(textOf).filter(text => text.includes('Instance'));

it('shows what happened to an object and to what belongs to it, newest first, and who did it', () => {
  const subjects = subjectsOf(['vm 7'], []);
  expect(told(historyLines(aSceneWithEvents(), {subjects}, 100, 20))).toEqual([
    expect.stringContaining('gpu-7  Instance 7 was stopped.  Ana'),
    expect.stringContaining('gpu-7  Instance 7 was stopped.  Bo'),
  ]);
  const both = subjectsOf([], [{kind: 'vm', objects: [first, second]}]);
  expect(told(historyLines(aSceneWithEvents(), {subjects: both}, 100, 20))).toHaveLength(3);
});

it('shows what one member did, without the name in each line', () => {
  const lines = told(historyLines(aSceneWithEvents(), {actors: new Set(['Bo'])}, 100, 20));
  expect(lines).toEqual([
    expect.stringMatching(/gpu-8 {2}Instance 8 was stopped\.$/),
    expect.stringMatching(/gpu-7 {2}Instance 7 was stopped\.$/),
  ]);
});

it('says when nothing is known, and for how many machines the events were read', () => {
  const lines = historyLines(aSceneWithEvents(), {subjects: new Set(['volume 3'])}, 100, 20).map(textOf);
  expect(lines[0]).toContain('none known');
  expect(lines.at(-1)).toContain('events of 2 of 2 machines read');
});

it('reads the events of only a few of the machines that belong to an object', () => {
  const machines = Array.from({length: 40}, (_, index) =>
    aVirtualMachine({id: index + 1, name: safeText(`m-${index}`)}),
  );
  const scene = aKnownScene({machines});
  const wants = historyWants(scene, [{kind: 'vm', objects: machines}]);
  expect(wants.filter(({feed}) => feed.key.includes('events'))).toHaveLength(6);
});

it('reads and lists nothing for a fleet so large that it would delay keys, and says where to look', () => {
  const machines = Array.from({length: 1001}, (_, index) => aVirtualMachine({id: index + 1}));
  const scene = aKnownScene({machines});
  expect(historyWants(scene, [{kind: 'vm', objects: machines.slice(0, 3)}])).toEqual([]);
  const lines = historyLines(scene, {subjects: new Set(['vm 1'])}, 200, 20).map(textOf);
  expect(lines).toEqual([' not listed here for more than 1,000 machines; 9 opens the timeline']);
});
