import {lastValue} from '../domain/snapshot.ts';
import {type MachineEvent, saysFailure} from '../domain/virtual-machine.ts';
import {nameOfUser} from '../resources/members.ts';
import {organizationFeed} from '../state/account.ts';
import {formatUtcFull} from '../ui/format.ts';
import {type Line, lineWidth, widthOf} from '../ui/text.ts';
import {hangingLines} from '../ui/wrap.ts';
import type {Scene} from './pane.ts';

/**
 * Events as recorded by the service, newest first, each with who did it; if there is room, the messages are aligned in a
 * column.
 */
export function recordedEventLines(
  events: readonly Pick<MachineEvent, 'occurredAt' | 'reason' | 'message' | 'type' | 'userId'>[],
  {store}: Pick<Scene, 'store'>,
  width: number,
): readonly Line[] {
  const organization = lastValue(store.get(organizationFeed));
  const newestFirst = [...events].sort((left, right) => (right.occurredAt ?? 0) - (left.occurredAt ?? 0));
  const longest = Math.max(0, ...newestFirst.map(({reason}) => widthOf(reason)));
  const reasonCells = longest > width * MAX_REASON_SHARE ? 0 : longest;
  return newestFirst.flatMap(event => {
    const time: Line = [{text: ` ${formatUtcFull(event.occurredAt)}  `, tone: 'dim'}];
    const lines = hangingLines(
      time,
      [
        {text: event.reason, tone: eventTone(event)},
        {text: `${' '.repeat(Math.max(0, reasonCells - widthOf(event.reason)))}  ${event.message}`},
      ],
      width,
    );
    if (event.userId === undefined) return lines;
    // Whole, so on a line of its own if the last one is full.
    const name: Line = [{text: nameOfUser(event.userId, organization), tone: 'dim'}];
    const named: Line = [...(lines.at(-1) ?? []), {text: '  '}, ...name];
    if (lineWidth(named) <= width) return [...lines.slice(0, -1), named];
    return [...lines, ...hangingLines([{text: ' '.repeat(lineWidth(time))}], name, width)];
  });
}

/** In a narrower box, messages take what the reasons leave. */
const MAX_REASON_SHARE = 0.3;

export function eventTone(event: Pick<MachineEvent, 'type' | 'reason'>): 'danger' | 'text' {
  return saysFailure(event) ? 'danger' : 'text';
}
