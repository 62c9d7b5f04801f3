import type {Pane} from '../panes/pane.ts';
import {cut, type Line, lineWidth} from '../ui/text.ts';

export type Tab = Pick<Pane, 'id' | 'key' | 'title'>;

/**
 * The tabs in one line, the open one whole and marked by more than its colour. Where the terminal is too narrow for all
 * their names the others keep as many letters each as fit, so that every key stays in sight.
 */
export function tabLine(panes: readonly Tab[], openId: string, width: number): Line {
  // A pane without a key is in sight only while it is open.
  const tabs = panes.filter(({id, key}) => key !== '' || id === openId);
  const longest = Math.max(0, ...tabs.map(({title}) => title.length));
  for (let letterCount = longest; letterCount > 0; letterCount -= 1) {
    const line = withLetters(tabs, openId, letterCount);
    if (lineWidth(line) <= width) return line;
  }
  return withLetters(tabs, openId, 0);
}

function withLetters(tabs: readonly Tab[], openId: string, letterCount: number): Line {
  const isWhole = tabs.every(({title}) => title.length <= letterCount);
  return [
    {text: ' '},
    ...tabs.map(({id, key, title}, index): Line[number] => {
      if (id === openId) return {text: `[${`${key} ${title}`.trimStart()}]`, tone: ['title', 'strong']};
      const name = `${key} ${cut(title, letterCount, '')}`.trimEnd();
      // Cut names stand closer: the bracket of the open one is a gap too.
      const isBeforeOpen = tabs[index + 1]?.id === openId;
      return {text: isWhole ? ` ${name} ` : ` ${name}${isBeforeOpen ? ' ' : ''}`, tone: 'dim'};
    }),
  ];
}
