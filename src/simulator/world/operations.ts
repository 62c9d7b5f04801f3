import type {Status} from './machine.ts';

/** The power operations, named as in their paths. */
export const VERBS = ['start', 'stop', 'hard-reboot', 'hibernate', 'hibernate-restore'] as const;
export type Verb = (typeof VERBS)[number];

/** `quick` takes 3 to 20 seconds, `faithful` the service's own minutes. */
export type Pace = 'quick' | 'faithful';

export type Operation = {
  readonly from: readonly Status[];
  readonly during: Status;
  readonly after: Status;
  readonly thing: string;
  readonly participle: string;
  readonly seconds: Readonly<Record<Pace, readonly [low: number, high: number]>>;
};

/** What each operation needs, passes through and ends in; `thing` begins the reasons of its events. */
export const OPERATIONS: Readonly<Record<Verb, Operation>> = {
  start: {
    from: ['SHUTOFF'],
    during: 'STARTING',
    after: 'ACTIVE',
    thing: 'InstanceStart',
    participle: 'started',
    seconds: {quick: [4, 9], faithful: [45, 80]},
  },
  stop: {
    from: ['ACTIVE', 'ERROR'],
    during: 'STOPPING',
    after: 'SHUTOFF',
    thing: 'InstanceStop',
    participle: 'stopped',
    seconds: {quick: [3, 7], faithful: [40, 75]},
  },
  'hard-reboot': {
    from: ['ACTIVE', 'ERROR'],
    during: 'REBOOTING',
    after: 'ACTIVE',
    thing: 'InstanceReboot',
    participle: 'rebooted',
    seconds: {quick: [5, 12], faithful: [45, 90]},
  },
  hibernate: {
    from: ['ACTIVE'],
    during: 'HIBERNATING',
    after: 'HIBERNATED',
    thing: 'HibernateInstance',
    participle: 'hibernated',
    seconds: {quick: [10, 20], faithful: [600, 900]},
  },
  'hibernate-restore': {
    from: ['HIBERNATED'],
    during: 'RESTORING',
    after: 'ACTIVE',
    thing: 'RestoreHibernationInstance',
    participle: 'restored',
    seconds: {quick: [8, 18], faithful: [300, 600]},
  },
};
