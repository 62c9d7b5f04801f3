import type {Question} from '../question/question.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {type ChoiceFacts, takenIn} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';
import {type Form, NOTHING_CHANGED} from './form.ts';

export type SetForm<Option> = {
  readonly title: SafeText;
  readonly label: string;
  readonly options: readonly Option[];
  /** The present members of the set. */
  readonly standing: readonly Option[];
  /** A text that identifies an option. */
  readonly wordOf: (option: Option) => string;
  readonly wants: readonly Want[];
  /** The facts beside each option in the list, by its text. */
  readonly facts?: ChoiceFacts;
  /** The options offered, if not all. */
  readonly reach?: string;
  /** Why this set cannot be sent. */
  readonly mistake?: (wanted: readonly Option[]) => SafeText | undefined;
  readonly question: (wanted: readonly Option[], diff: readonly Line[]) => Question | undefined;
};

/**
 * Chooses a whole set, for calls that replace one set by another: it starts with the present one, so that nothing is
 * removed by accident, and shows what is added and removed.
 */
export function setForm<Option>(set: SetForm<Option>): Form {
  const {title, label, options, standing, wordOf, wants, facts, reach, mistake, question} = set;
  const words = options.map(wordOf);
  const before = standing.map(wordOf);
  return {
    title,
    fields: [
      {
        key: 'set',
        label,
        initial: before.join('\n'),
        choices: words,
        takesMany: true,
        hint: 'space selects',
        ...(facts === undefined ? {} : {facts}),
      },
    ],
    wants: () => wants,
    check: values => {
      const taken = takenIn(values.set);
      const diff = diffLines(before, taken);
      const state: readonly Line[] = [
        ...(reach === undefined ? [] : [[{text: reach, tone: 'dim' as const}]]),
        ...(words.length > MAX_LISTED ? [] : words).map(
          (word): Line => [
            {text: taken.includes(word) ? '[x] ' : '[ ] ', tone: 'dim'},
            {text: word, tone: taken.includes(word) ? 'strong' : 'dim'},
          ],
        ),
      ];
      if (diff.length === 0) {
        return {...NOTHING_CHANGED, notes: [...NOTHING_CHANGED.notes, ...state]};
      }
      const wanted = options.filter(option => taken.includes(wordOf(option)));
      const notes = [...diff, ...state];
      const wrong = mistake?.(wanted);
      return wrong === undefined
        ? {mistakes: {}, notes, question: question(wanted, diff)}
        : {mistakes: {set: wrong}, notes, question: undefined};
    },
  };
}

/** More than these would leave no room for the changes; the field shows them one by one. */
const MAX_LISTED = 8;

/** Added ones with a plus, removed ones with a minus; nothing if both sets are equal. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly Line[] {
  return [
    ...after.filter(word => !before.includes(word)).map((text): Line => [{text: '+ ', tone: 'good'}, {text}]),
    ...before.filter(word => !after.includes(word)).map((text): Line => [{text: '− ', tone: 'danger'}, {text}]),
  ];
}
