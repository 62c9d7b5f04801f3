export type ChoiceFacts = {
  readonly titles: readonly string[];
  readonly of: (choice: string) => readonly string[];
};

/** One line of a form: free text, or a choice of one or of many among given words. */
export type FormField = {
  readonly key: string;
  readonly label: string;
  readonly initial: string;
  /** Where what it begins with depends on other fields: it goes with them until a person has chosen. */
  readonly followsOthers?: true;
  /** The words to choose from; absent for free text. */
  readonly choices?: readonly string[];
  /** What stands beside each choice in the list of them: a text under each title, the ones that matter most first. */
  readonly facts?: ChoiceFacts;
  /** Any number of them can be taken: the value is those that are, one to a line (`takenIn`). */
  readonly takesMany?: true;
  /** What a choice fills in elsewhere, e.g. a preset its port. */
  readonly fills?: (choice: string) => Readonly<Record<string, string>>;
  readonly hint?: string;
  /** In characters, where the text is longer than a name or an address ever is. */
  readonly maxLength?: number;
};

export type FormValues = Readonly<Record<string, string>>;

/** The words in the value of a field that takes many. */
export function takenIn(value: string | undefined): readonly string[] {
  return (value ?? '').split('\n').filter(word => word !== '');
}
