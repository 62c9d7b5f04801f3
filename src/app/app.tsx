import {Box, useStdin} from 'ink';
import {memo, type ReactNode, useEffect, useSyncExternalStore} from 'react';
import type {Pane} from '../panes/pane.ts';
import {listenToTerminal, type TerminalInput} from '../terminal/input.ts';
import {Lines, PaintedLine, PastInk, type Slots} from '../ui/lines.tsx';
import {SecondsContext} from '../ui/moment.ts';
import {paintLine} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';
import type {Deck, Shown} from './deck.ts';
import {takeInput} from './dispatch.ts';
import {type Connection, headerLine} from './header.ts';
import {isArmed} from './overlay/confirm.ts';
import {askedWords} from './overlay/overlay.ts';
import {OverlayBox} from './overlay/overlay-box.tsx';
import {isAnswer} from './overlay/press-question.ts';
import {isTooSmall, smallLines} from './small-screen.ts';
import {filterLine, keysLine, messageLine, restOfMessageLine} from './status-bar.ts';
import {tabLine} from './tab-line.ts';

type Props = {readonly deck: Deck; readonly connection: Connection};

/**
 * The root. Keys arrive here and nowhere else. What is rendered comes from what a repaint shows, and from the scene of
 * each second.
 */
export function App({slots, ...props}: Props & {readonly slots: Slots}): ReactNode {
  const {deck} = props;
  const shown = useSyncExternalStore(deck.subscribe, deck.shown);
  const {stdin} = useStdin();
  useEffect(
    () =>
      listenToTerminal(stdin, {
        now: () => deck.now(),
        after: deck.after,
        take: input => takeInTurn(deck, input),
        isAnswer: key => isAnswer(deck, key),
      }),
    [deck, stdin],
  );
  const Screen = isTooSmall(shown.size) ? SmallScreen : WholeScreen;
  return (
    <SecondsContext value={deck.seconds}>
      <PastInk slots={slots}>
        <Screen {...props} shown={shown} />
      </PastInk>
    </SecondsContext>
  );
}

/**
 * Signals come after what the terminal sent in the same turn. After a stop, a key that waited must not answer a question
 * before the deck knows of the stop, however short that was, and withdraws the question.
 */
function takeInTurn(deck: Deck, input: TerminalInput): void {
  if (deck.asks()) setImmediate(() => takeInput(deck, input));
  else takeInput(deck, input);
}

type ScreenProps = Props & {readonly shown: Shown};

function SmallScreen({deck, connection, shown}: ScreenProps): ReactNode {
  const {mode, size, overlay, boxContent} = shown;
  const scene = useSyncExternalStore(deck.seconds.subscribe, deck.seconds.latest);
  const leaving =
    overlay?.kind === 'leave' && boxContent?.kind === 'leave'
      ? {outstanding: boxContent.outstanding, isReady: isArmed(overlay, shown.scene.monotonicNow)}
      : undefined;
  const secretTitle = overlay?.kind === 'secret' ? overlay.secret.title : undefined;
  const askedTitle = overlay !== undefined && 'shownAt' in overlay ? askedWords(overlay) : undefined;
  const lines = smallLines(scene, connection, mode, size, {leaving, secretTitle, askedTitle});
  return <Lines lines={lines} width={size.columns} theme={scene.theme} />;
}

/** Shows the seconds, so it is drawn every second even if everything below it is unchanged. */
function Header({deck, connection, shown}: ScreenProps): ReactNode {
  const scene = useSyncExternalStore(deck.seconds.subscribe, deck.seconds.latest);
  const {columns} = shown.size;
  const line = headerLine(scene, connection, shown.mode, columns);
  return <PaintedLine painted={paintLine(line, columns, scene.theme)} />;
}

function WholeScreen({deck, connection, shown}: ScreenProps): ReactNode {
  const {scene, pane, overlay} = shown;
  const {columns, rows} = shown.size;
  const {theme} = scene;
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Header deck={deck} connection={connection} shown={shown} />
      <Tabs panes={deck.panes} openId={pane.id} width={columns} theme={theme} />
      <Box width={columns} height={scene.size.rows} overflow="hidden">
        <pane.Screen scene={scene} />
      </Box>
      <MessageAndKeys shown={shown} />
      {overlay !== undefined && <OverlayBox overlay={overlay} shown={shown} />}
    </Box>
  );
}

type TabsProps = {
  readonly panes: readonly Pane[];
  readonly openId: string;
  readonly width: number;
  readonly theme: Theme;
};

const Tabs = memo(function Tabs({panes, openId, width, theme}: TabsProps): ReactNode {
  return <Lines lines={[tabLine(panes, openId, width)]} width={width} theme={theme} />;
});

/** What they say depends on all that is shown, so they are rendered again with each repaint. */
function MessageAndKeys({shown}: {readonly shown: Shown}): ReactNode {
  const {overlay, scene, size} = shown;
  const width = size.columns;
  const lines = [
    overlay?.kind === 'filter' || overlay?.kind === 'search'
      ? filterLine(shown, overlay, width)
      : messageLine(shown, width),
    restOfMessageLine(shown, width) ?? keysLine(shown, width),
  ];
  return <Lines lines={lines} width={width} theme={scene.theme} />;
}
