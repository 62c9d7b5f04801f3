import {type MachineEvent, saysFailure} from '../domain/virtual-machine.ts';
import {formatUtcFull} from '../ui/format.ts';
import {type Line, widthOf} from '../ui/text.ts';
import {hangingLines} from '../ui/wrap.ts';

/** Events as recorded by the service, newest first; if there is room, the messages are aligned in a column. */
export function recordedEventLines(
  events: readonly Pick<MachineEvent, 'occurredAt' | 'reason' | 'message' | 'type'>[],
  width: number,
): readonly Line[] {
  const newestFirst = [...events].sort((left, right) => (right.occurredAt ?? 0) - (left.occurredAt ?? 0));
  const longest = Math.max(0, ...newestFirst.map(({reason}) => widthOf(reason)));
  const reasonCells = longest > width * MAX_REASON_SHARE ? 0 : longest;
  return newestFirst.flatMap(event =>
    hangingLines(
      [{text: ` ${formatUtcFull(event.occurredAt)}  `, tone: 'dim'}],
      [
        {text: event.reason, tone: eventTone(event)},
        {text: `${' '.repeat(Math.max(0, reasonCells - widthOf(event.reason)))}  ${event.message}`},
      ],
      width,
    ),
  );
}

/** In a narrower box, messages take what the reasons leave. */
const MAX_REASON_SHARE = 0.3;

export function eventTone(event: Pick<MachineEvent, 'type' | 'reason'>): 'danger' | 'text' {
  return saysFailure(event) ? 'danger' : 'text';
}
