export type ChoiceFacts = {
  readonly titles: readonly string[];
  /** Those of the titles that are texts, not figures: shown from the left. */
  readonly texts?: readonly string[];
  /** The title of the one that is a price. */
  readonly priceTitle?: string;
  readonly of: (choice: string) => readonly string[];
};

/** One line of a form: free text, or a choice of one or several given words. */
export type FormField = {
  readonly key: string;
  readonly label: string;
  readonly initial: string;
  /** For an initial value that depends on other fields: it follows them until the person has chosen. */
  readonly followsOthers?: true;
  /** The words to choose from; absent for free text. */
  readonly choices?: readonly string[];
  /** Facts beside each choice in the list, by column title, most important first. */
  readonly facts?: ChoiceFacts;
  /** Several can be chosen: the value contains them, one per line (`takenIn`). */
  readonly takesMany?: true;
  /** Free text of several words with commas between: typing adds to the initial ones instead of replacing them. */
  readonly isList?: true;
  /** What a choice fills in elsewhere, such as a port for a preset. */
  readonly fills?: (choice: string) => Readonly<Record<string, string>>;
  readonly hint?: string;
  /** In characters, if text may be longer than any name or address. */
  readonly maxLength?: number;
};

export type FormValues = Readonly<Record<string, string>>;

/** The chosen words in the value of a field that takes several. */
export function takenIn(value: string | undefined): readonly string[] {
  return (value ?? '').split('\n').filter(word => word !== '');
}
