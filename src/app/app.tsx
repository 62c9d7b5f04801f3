import {Box, useStdin} from 'ink';
import {memo, type ReactNode, useEffect, useSyncExternalStore} from 'react';
import type {Scene} from '../panes/pane.ts';
import {listenToTerminal, type TerminalInput} from '../terminal/input.ts';
import {Lines, PaintedLine, PastInk, type Slots} from '../ui/lines.tsx';
import {SecondsContext} from '../ui/moment.ts';
import {paintLine} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';
import type {Deck} from './deck.ts';
import {isAnswer, takeInput} from './dispatch.ts';
import {type Connection, headerLine} from './header.ts';
import {OverlayBox} from './overlay/overlay-box.tsx';
import {isTooSmall, smallLines} from './small-screen.ts';
import {filterLine, keysLine, messageLine, restOfMessageLine} from './status-bar.ts';
import {tabLine} from './tab-line.ts';

type Props = {readonly deck: Deck; readonly connection: Connection};

/** The root. Keys arrive here and nowhere else, and each repaint of the deck is rendered from its scene. */
export function App({slots, ...props}: Props & {readonly slots: Slots}): ReactNode {
  const {deck} = props;
  const scene = useSyncExternalStore(deck.subscribe, deck.shown);
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
  const isSmall = isTooSmall(deck.size());
  return (
    <SecondsContext value={deck.seconds}>
      <PastInk slots={slots}>{isSmall ? <SmallScreen {...props} /> : <WholeScreen {...props} scene={scene} />}</PastInk>
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

type ScreenProps = Props & {readonly scene: Scene};

function SmallScreen({deck, connection}: Props): ReactNode {
  const scene = useSyncExternalStore(deck.seconds.subscribe, deck.seconds.latest);
  const lines = smallLines(scene, connection, deck.writes.mode(), deck.size());
  return <Lines lines={lines} width={deck.size().columns} theme={scene.theme} />;
}

/** Shows the seconds, so it is drawn every second even if everything below it is unchanged. */
function Header({deck, connection}: Props): ReactNode {
  const scene = useSyncExternalStore(deck.seconds.subscribe, deck.seconds.latest);
  const {columns} = deck.size();
  const line = headerLine(scene, connection, deck.writes.mode(), columns);
  return <PaintedLine painted={paintLine(line, columns, scene.theme)} />;
}

function WholeScreen({deck, connection, scene}: ScreenProps): ReactNode {
  const {columns, rows} = deck.size();
  const {theme} = scene;
  const {Screen} = deck.pane();
  const overlay = deck.overlay();
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Header deck={deck} connection={connection} />
      <Tabs deck={deck} openId={deck.pane().id} width={columns} theme={theme} />
      <Box width={columns} height={scene.size.rows} overflow="hidden">
        <Screen scene={scene} />
      </Box>
      <MessageAndKeys deck={deck} width={columns} theme={theme} />
      {overlay !== undefined && <OverlayBox deck={deck} overlay={overlay} scene={scene} />}
    </Box>
  );
}

type BarProps = {readonly deck: Deck; readonly width: number; readonly theme: Theme};

const Tabs = memo(function Tabs({deck, openId, width, theme}: BarProps & {readonly openId: string}): ReactNode {
  return <Lines lines={[tabLine(deck.panes, openId, width)]} width={width} theme={theme} />;
});

/** What they say depends on all that the deck shows, so they are rendered again with each repaint. */
function MessageAndKeys({deck, width, theme}: BarProps): ReactNode {
  const overlay = deck.overlay();
  const lines = [
    overlay?.kind === 'filter' || overlay?.kind === 'search'
      ? filterLine(deck, overlay, width)
      : messageLine(deck, width),
    restOfMessageLine(deck, width) ?? keysLine(deck, width),
  ];
  return <Lines lines={lines} width={width} theme={theme} />;
}
