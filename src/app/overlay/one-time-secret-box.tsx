import type {ReactNode} from 'react';
import type {SafeText} from '../../domain/safe-text.ts';
import type {Scene} from '../../panes/pane.ts';
import {Dialog} from '../../ui/dialog.tsx';
import {formatCounted} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {OpenSecret} from './overlay.ts';
import {OverlayFrame} from './overlay-frame.tsx';
import {MAX_SECRET_WIDTH, readingOf, secretKeys, secretPage} from './one-time-secret.ts';
import type {Size} from '../../terminal/frame.ts';

type Props = {readonly open: OpenSecret; readonly scene: Scene; readonly size: Size};

/** What an answer contained, or how long it has been awaited. */
export function OneTimeSecretBox({open, scene, size}: Props): ReactNode {
  const shown = readingOf(open, scene.store, scene.monotonicNow);
  if (shown.status === 'lines') return <LogBox open={open} scene={scene} lines={shown.lines} />;
  return (
    <Dialog
      title={open.secret.title}
      right="esc = close"
      lines={secretPage(open, scene, size).lines}
      choices={secretKeys(shown)}
      {...size}
      theme={scene.theme}
      maxWidth={MAX_SECRET_WIDTH}
    />
  );
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
