import type {FormField} from './form-field.ts';
import {type TableColumn, tableLines, viewportOf} from './table.ts';
import {type Line, widthOf} from './text.ts';
import {inputLine, type TextInput} from './text-input.ts';
import type {Theme} from './theme.ts';

/** The choices of a field as a list: the text typed to narrow it, and the position among what is left. */
export type Picker = {readonly input: TextInput; readonly cursorIndex: number};

/** A choice and the facts beside it. */
type PickerRow = {readonly choice: string; readonly facts: readonly string[]};

/** The choices that contain every word of the filter, in their name or facts. */
export function pickerChoices(field: FormField, filterText: string): readonly string[] {
  return pickerRows(field, filterText).map(({choice}) => choice);
}

/** The filter, the titles and the visible choices: exactly `height` lines of at most `width` cells. */
export function pickerLines(
  field: FormField,
  {input, cursorIndex}: Picker,
  {width, height, theme}: {readonly width: number; readonly height: number; readonly theme: Theme},
): readonly Line[] {
  const rows = pickerRows(field, input.text);
  const count = (field.choices ?? []).length;
  const {offset, end} = viewportOf({rowCount: rows.length, cursorIndex, offset: 0, height: height - PICKER_HEAD_ROWS});
  const head: readonly Line[] = [
    [
      {text: '/ ', tone: 'key'},
      ...inputLine(input, Math.max(8, width - COUNT_CELLS)),
      {text: `  ${rows.length} of ${count}`, tone: 'dim'},
    ],
  ];
  const list =
    rows.length === 0
      ? [[{text: '  no matches', tone: 'dim' as const}]]
      : tableLines(rows.slice(offset, end), row => row === rows[cursorIndex], {
          columns: columnsOf(field, rows),
          width,
          theme,
        });
  return [...head, ...list, ...Array.from({length: height}, (): Line => [])].slice(0, height);
}

/** The line of the filter and the titles. */
export const PICKER_HEAD_ROWS = 2;
const COUNT_CELLS = 16;
const MIN_CHOICE_CELLS = 16;

function pickerRows({choices = [], facts}: FormField, filterText: string): readonly PickerRow[] {
  const words = filterText.toLowerCase().split(/\s+/).filter(Boolean);
  return choices
    .map(choice => ({choice, facts: facts?.of(choice) ?? []}))
    .filter(row => {
      const searchedText = [row.choice, ...row.facts].join(' ').toLowerCase();
      return words.every(word => searchedText.includes(word));
    });
}

/** As wide as their contents; if there is no room, the last facts are dropped first. */
function columnsOf({label, facts}: FormField, rows: readonly PickerRow[]): readonly TableColumn<PickerRow>[] {
  const titles = facts?.titles ?? [];
  return [
    {
      key: 'choice',
      title: label.toUpperCase(),
      minWidth: MIN_CHOICE_CELLS,
      flex: 1,
      cell: ({choice}) => [{text: choice, tone: 'strong', isName: true}],
    },
    ...titles.map((title, index): TableColumn<PickerRow> => {
      const isText = facts?.texts?.includes(title) === true;
      // A second blank before a text: behind a stock of 2, `8 × H100` would read as 28.
      const shown = (fact = '') => (isText ? ` ${fact}` : fact);
      return {
        key: title,
        title: shown(title),
        minWidth: Math.max(...[title, ...rows.map(row => row.facts[index])].map(fact => widthOf(shown(fact)))),
        priority: index + 1,
        ...(isText ? {} : {align: 'right'}),
        cell: row => [{text: shown(row.facts[index]), tone: title === facts?.priceTitle ? 'money' : 'text'}],
      };
    }),
  ];
}
