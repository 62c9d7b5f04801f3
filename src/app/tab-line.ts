import type {Tab} from '../panes/tabs.ts';
import {type Line, lineWidth} from '../ui/text.ts';

/**
 * The tabs in one line; the open one in full, marked by more than colour. If the terminal is too narrow for all names,
 * the others show only their keys instead of cut names.
 */
export function tabLine(panes: readonly Tab[], openId: string, width: number): Line {
  // A pane without a key is visible only while it is open.
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
