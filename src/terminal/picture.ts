import type {Grid, Row} from './frame.ts';
import {PLAIN, transition} from './style.ts';

/** The content of the screen as text for a file, without and with colours. */
export type Picture = {readonly plain: string; readonly coloured: string};

/** Lines end at their last visible cell, and every coloured line ends in the plain style. */
export function pictureOf(grid: Grid): Picture {
  return {
    plain: grid.lines.map(row => row.texts.join('').trimEnd()).join('\n'),
    coloured: grid.lines.map(colouredLine).join('\n'),
  };
}

function colouredLine({texts, styles, end}: Row): string {
  let line = '';
  let style = PLAIN;
  for (let column = 0; column < end; column++) {
    const wanted = styles[column] ?? PLAIN;
    line += `${transition(style, wanted)}${texts[column] ?? ''}`;
    style = wanted;
  }
  return `${line}${transition(style, PLAIN)}`;
}
