import {Box, useInput, usePaste} from 'ink';
import {type ReactNode, useLayoutEffect, useSyncExternalStore} from 'react';
import {Lines} from '../ui/lines.tsx';
import type {Line} from '../ui/text.ts';
import type {Deck} from './deck.ts';
import {pasteText, pressKeys} from './dispatch.ts';
import {type Connection, headerLine} from './header.ts';
import {keyNames} from './keys.ts';
import {OverlayBox} from './overlay-box.tsx';
import {isTooSmall, smallLines} from './small-screen.ts';
import {filterLine, keysLine, messageLine, restOfMessageLine, tabsLine} from './status-bar.ts';
import type {View} from './view.ts';

/** Keys come in here and nowhere else, and the view's boxes go through Ink. */
export function App({deck, view}: {readonly deck: Deck; readonly view: View}): ReactNode {
  const boxes = useSyncExternalStore(view.subscribe, view.boxes);
  useInput((input, key) => pressKeys(deck, keyNames(input, key)));
  usePaste(text => pasteText(deck, text));
  useLayoutEffect(() => view.laidOut(boxes), [view, boxes]);
  return boxes;
}

/** The whole screen as it should be now. */
export function wholeScreen(deck: Deck, connection: Connection): ReactNode {
  const {columns, rows} = deck.size();
  const scene = deck.scene();
  if (isTooSmall(deck.size())) {
    return (
      <Lines
        lines={smallLines(scene, connection, deck.writes.mode(), deck.size())}
        width={columns}
        theme={scene.theme}
      />
    );
  }
  const overlay = deck.overlay();
  const message: Line = overlay?.kind === 'filter' ? filterLine(deck, overlay, columns) : messageLine(deck, columns);
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Lines
        lines={[headerLine(scene, connection, deck.writes.mode(), columns), tabsLine(deck)]}
        width={columns}
        theme={scene.theme}
      />
      <Box width={columns} height={scene.size.rows} overflow="hidden">
        {deck.pane().render(scene)}
      </Box>
      <Lines
        lines={[message, restOfMessageLine(deck, columns) ?? keysLine(deck, columns)]}
        width={columns}
        theme={scene.theme}
      />
      {overlay !== undefined && <OverlayBox deck={deck} overlay={overlay} scene={scene} />}
    </Box>
  );
}
