import {stripVTControlCharacters} from 'node:util';
import {renderToString} from 'ink';
import type {ReactNode} from 'react';

/** What a component shows at this width, line by line, without colours and trailing blanks. */
export function shownLines(element: ReactNode, columns: number): readonly string[] {
  return stripVTControlCharacters(renderToString(element, {columns}))
    .split('\n')
    .map(line => line.trimEnd());
}
