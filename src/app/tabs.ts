import type {Tab} from '../panes/tabs.ts';
import {type Line, lineWidth} from '../ui/text.ts';

/**
 * The tabs in one line, the open one whole and marked by more than its colour. Where the terminal is too narrow for all
 * their names the others are shown by their keys alone, rather than by cut names.
 */
export function tabLine(panes: readonly Tab[], openId: string, width: number): Line {
  // A pane without a key is in sight only while it is open.
  const tabs = panes.filter(({id, key}) => key !== '' || id === openId);
  const whole = tabSpans(tabs, openId, ({key, title}) => `${key} ${title}`);
  return lineWidth(whole) <= width ? whole : tabSpans(tabs, openId, ({key}) => key);
}

function tabSpans(tabs: readonly Tab[], openId: string, nameOf: (tab: Tab) => string): Line {
  return [
    {text: ' '},
    ...tabs.map((tab): Line[number] =>
      tab.id === openId
        ? {text: `[${`${tab.key} ${tab.title}`.trimStart()}]`, tone: ['title', 'strong']}
        : {text: ` ${nameOf(tab)} `, tone: 'dim'},
    ),
  ];
}
