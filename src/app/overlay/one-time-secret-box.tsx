import type {ReactNode} from 'react';
import {unreachable} from '../../domain/assert.ts';
import {KEYS} from '../../actions/keys.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import {SECOND_MS} from '../../domain/time.ts';
import type {Scene} from '../../panes/pane.ts';
import {Dialog} from '../../ui/dialog.tsx';
import {formatCounted} from '../../ui/format.ts';
import {type Line, lineWidth} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import type {OpenSecret} from './overlay.ts';
import {OverlayFrame} from './overlay-frame.tsx';
import {SECRET_LIMIT_MS, readingOf, secretKeys} from './one-time-secret.ts';
import type {Size} from '../../terminal/frame.ts';

type Props = {readonly open: OpenSecret; readonly scene: Scene; readonly size: Size};

const MAX_WIDTH = 96;
/** The box's edges and margins. */
const EDGE_CELLS = 4;
/** Edges, the blank line, the choices; plus two lines above and below the box, so that messages stay visible. */
const FRAME_ROWS = 8;

/** What an answer contained, or how long it has been awaited. */
export function OneTimeSecretBox({open, scene, size}: Props): ReactNode {
  const shown = readingOf(open, scene.store, scene.monotonicNow);
  if (shown.status === 'lines') return <LogBox open={open} scene={scene} lines={shown.lines} />;
  const width = Math.min(size.columns, MAX_WIDTH) - EDGE_CELLS;
  const parts = oneTimeSecretLines(open, scene).map(line => wrapLine(line, width));
  return (
    <Dialog
      title={open.secret.title}
      right="esc = close"
      lines={fitLongest(parts, size.rows - FRAME_ROWS)}
      choices={secretKeys(shown)}
      {...size}
      theme={scene.theme}
      maxWidth={MAX_WIDTH}
    />
  );
}

/** All parts in at most `room` lines: the end of the longest is left out for that, with a mark. */
function fitLongest(parts: readonly (readonly Line[])[], room: number): readonly Line[] {
  const lines = parts.flat();
  if (lines.length <= room) return lines;
  const longest = parts.reduce((longer, part) => (part.length > longer.length ? part : longer), []);
  const shownCount = Math.max(1, longest.length - (lines.length - room) - 1);
  const hiddenCount = longest.slice(shownCount).reduce((sum, line) => sum + lineWidth(line), 0);
  const more = `and ${formatCounted(hiddenCount, 'more character')}; ${KEYS.copy} copies all of them`;
  const kept: readonly Line[] = [...longest.slice(0, shownCount), [{text: more, tone: 'warning'}]];
  return parts.flatMap(part => (part === longest ? kept : part));
}

/** The text of the box, before wrapping. */
export function oneTimeSecretLines(
  open: OpenSecret,
  {store, monotonicNow}: Pick<Scene, 'store' | 'monotonicNow'>,
): readonly Line[] {
  const shown = readingOf(open, store, monotonicNow);
  switch (shown.status) {
    case 'waiting': {
      const seconds = Math.floor(shown.elapsedMs / SECOND_MS);
      return [
        [{text: `Requested; this takes a few seconds. ${seconds} s of at most ${SECRET_LIMIT_MS / SECOND_MS}.`}],
        [{text: 'Closing this stops waiting.', tone: 'dim'}],
      ];
    }
    case 'late':
      return [[{text: shown.reason, tone: 'warning'}], [{text: 'Close this and request it again.', tone: 'dim'}]];
    case 'secret':
      return secretLines(open, shown.secret.reveal());
    case 'lines':
      return shown.lines.map(text => [{text}]);
    default:
      return unreachable(shown);
  }
}

function secretLines({secret, isCopied}: OpenSecret, text: string): readonly Line[] {
  const warning: Line =
    secret.kind === 'access-key'
      ? [{text: 'The secret key is shown only this once.', tone: 'warning'}]
      : [{text: 'Anyone with this address can control the machine: treat it like a password.', tone: 'warning'}];
  return [
    ...(secret.kind === 'access-key' ? [[{text: 'access key  ', tone: 'dim' as const}, {text: secret.accessKey}]] : []),
    [
      {text: secret.kind === 'access-key' ? 'secret key  ' : '', tone: 'dim'},
      {text, tone: 'strong'},
    ],
    [],
    warning,
    [{text: isCopied ? 'Copied.' : 'It is not saved or logged.', tone: 'dim'}],
  ];
}

function LogBox({
  open,
  scene,
  lines,
}: {
  readonly open: OpenSecret;
  readonly scene: Scene;
  readonly lines: readonly SafeText[];
}): ReactNode {
  const {rows: height} = scene.size;
  const room = Math.max(1, height - 2);
  const end = Math.max(0, lines.length - open.offset);
  return (
    <OverlayFrame
      title={open.secret.title}
      right={`${formatCounted(lines.length, 'line')}  esc`}
      lines={lines.slice(Math.max(0, end - room), end).map((text): Line => [{text}])}
      height={height}
      scene={scene}
    />
  );
}
