import {Box, Text} from 'ink';
import {Children, Fragment, isValidElement, type ReactElement, type ReactNode} from 'react';
import {assert} from '../domain/assert.ts';
import {PaintedLines} from './lines.tsx';

/** A screen as boxes of tickets. Two with equal layouts differ in what their tickets stand for and in nothing else. */
export type Composition = {readonly layout: string; readonly boxes: ReactNode};

/** The ticket of a place on the screen, given the line that is to stand there; undefined where there is none left. */
export type PlaceLine = (slot: string, painted: string, layer: number) => string | undefined;

/**
 * Takes painted lines out of a tree of boxes and leaves their tickets. The components between are called as the
 * functions they are: they have no state and no effects.
 */
export function compose(node: ReactNode, place: PlaceLine): Composition {
  const layout: string[] = [];
  const boxes = walk(node, '', {place, layout});
  return {layout: layout.join(' '), boxes};
}

type Walk = {readonly place: PlaceLine; readonly layout: string[]};

function walk(node: ReactNode, path: string, walking: Walk): ReactNode {
  if (isLines(node)) return linesBox(node.props, path, walking);
  if (isBox(node)) {
    const {children, ...style} = node.props;
    walking.layout.push(`box ${JSON.stringify(style)} (`);
    const inside = walkAll(children, path, walking);
    walking.layout.push(')');
    return <Box {...style}>{inside}</Box>;
  }
  if (isFragment(node)) return walkAll(node.props.children, path, walking);
  if (isComponent(node)) return walk(node.type(node.props), path, walking);
  assert(node === null || node === undefined || typeof node === 'boolean', 'a screen of something else than boxes');
  return undefined;
}

function walkAll(children: ReactNode, path: string, walking: Walk): ReactNode {
  return Children.toArray(children).map((child, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the place among the children is the identity.
    <Fragment key={index}>{walk(child, `${path}.${index}`, walking)}</Fragment>
  ));
}

type LinesProps = Parameters<typeof PaintedLines>[0];

function linesBox({lines, width, layer = 0}: LinesProps, path: string, {place, layout}: Walk): ReactNode {
  layout.push(`lines ${width}×${lines.length}/${layer}`);
  return (
    <Box flexDirection="column" width={width} height={lines.length} flexShrink={0}>
      {lines.map((painted, index) => {
        const ticket = place(`${path}:${index}`, painted, layer);
        // Without a ticket the line goes through Ink itself, which has to see that it changes.
        if (ticket === undefined) layout.push(painted);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place in the column is the identity of a line.
          <Text key={index} wrap="truncate">
            {ticket ?? painted}
          </Text>
        );
      })}
    </Box>
  );
}

function isLines(node: ReactNode): node is ReactElement<LinesProps> {
  return isValidElement(node) && node.type === PaintedLines;
}

function isBox(node: ReactNode): node is ReactElement<{readonly children?: ReactNode}> {
  return isValidElement(node) && node.type === Box;
}

function isFragment(node: ReactNode): node is ReactElement<{readonly children?: ReactNode}> {
  return isValidElement(node) && node.type === Fragment;
}

type Component = (props: unknown) => ReactNode;

function isComponent(node: ReactNode): node is ReactElement<unknown, Component> {
  return isValidElement(node) && typeof node.type === 'function';
}
