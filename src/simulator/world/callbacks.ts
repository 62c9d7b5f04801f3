import type {Machine, MachineEvent, Status} from './machine.ts';
import {accepted, type Outcome, refused} from './outcome.ts';

/** Where the events of a machine are posted to. */
export type Callback = {
  readonly url: string;
  readonly tell: (machine: Machine, event: MachineEvent) => void;
};

/** One event on its way to a callback URL, with the state the machine was in when it happened. */
export type Notice = {
  readonly url: string;
  readonly machineId: number;
  readonly machineName: string;
  readonly status: Status;
  readonly event: MachineEvent;
};

/** The events that are still to be posted. The world only writes them down; whoever serves it carries them out. */
export type Outbox = {
  readonly callbackTo: (url: string) => Callback;
  /** Gives what has come since the last time, oldest first. */
  readonly take: () => readonly Notice[];
};

/** Nobody may take them for hours; the newest are the ones to keep. */
const OUTBOX_LIMIT = 1000;

export function createOutbox(): Outbox {
  let notices: Notice[] = [];
  return {
    callbackTo: url => ({
      url,
      tell: ({id, name, status}, event) => {
        notices.push({url, machineId: id, machineName: name, status, event});
        if (notices.length > OUTBOX_LIMIT) notices.shift();
      },
    }),
    take: () => {
      const taken = notices;
      notices = [];
      return taken;
    },
  };
}

/** Gives a machine its one callback URL, or another in its place. */
export function setCallback(outbox: Outbox, machine: Machine, step: 'attach' | 'update', url: string): Outcome<string> {
  if (step === 'attach' && machine.callback !== undefined) {
    return refused('state', `Virtual machine '${machine.name}' (${machine.id}) has a callback URL already.`);
  }
  if (step === 'update' && machine.callback === undefined) return withoutCallback(machine);
  machine.callback = outbox.callbackTo(url);
  return accepted(url);
}

export function removeCallback(machine: Machine): Outcome<undefined> {
  if (machine.callback === undefined) return withoutCallback(machine);
  machine.callback = undefined;
  return accepted(undefined);
}

function withoutCallback({name, id}: Machine) {
  return refused('state', `Virtual machine '${name}' (${id}) has no callback URL.`);
}
