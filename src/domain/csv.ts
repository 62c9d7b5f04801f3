/**
 * What a spreadsheet would take for a formula, also after blanks, which some of them drop, and in the wide characters
 * of East Asian keyboards. A plain number is not one.
 */
const FORMULA =
  /^(?:[\s\p{Default_Ignorable_Code_Point}]*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b]|[\t\r])/u;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

// Further digits of a binary fraction are rounding noise.
const FRACTION = {useGrouping: false, maximumSignificantDigits: 12} as const;
// Node takes ten milliseconds to make the first one, and most starts never need it.
let fraction: Intl.NumberFormat | undefined;

/** A number as spreadsheets expect it: decimal, without an exponent or binary rounding noise. */
export function plainNumber(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString();
  fraction ??= new Intl.NumberFormat('en-US', FRACTION);
  return fraction.format(value);
}

/** One line of RFC 4180, including its line end. Text that a spreadsheet would execute gets a leading apostrophe. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string): string {
  const inert = FORMULA.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
