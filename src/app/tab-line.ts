import type {Tab} from '../panes/tabs.ts';
import {type Line, lineWidth} from '../ui/text.ts';

/**
 * The tabs in one line; the open one in full, marked by more than colour. If the terminal is too narrow for all names,
 * they stand closer together, or the others show only their keys instead of cut names.
 */
export function tabLine(panes: readonly Tab[], openId: string, width: number): Line {
  // A pane without a key is visible only while it is open.
  const tabs = panes.filter(({id, key}) => key !== '' || id === openId);
  const lines = [
    tabSpans(tabs, openId, ({key, title}) => ` ${key} ${title} `),
    tabSpans(tabs, openId, ({key, title}) => `${key} ${title}`, ' '),
  ];
  return lines.find(line => lineWidth(line) <= width) ?? tabSpans(tabs, openId, ({key}) => ` ${key} `);
}

function tabSpans(tabs: readonly Tab[], openId: string, textOf: (tab: Tab) => string, between = ''): Line {
  return [
    {text: ' '},
    ...tabs.flatMap(
      (tab, index): Line => [
        {text: index === 0 ? '' : between},
        tab.id === openId
          ? {text: `[${`${tab.key} ${tab.title}`.trimStart()}]`, tone: ['title', 'strong']}
          : {text: textOf(tab), tone: 'dim'},
      ],
    ),
  ];
}
