const BLANKS = String.raw`\s\p{Default_Ignorable_Code_Point}`;
const SIGN = String.raw`[=+\-@\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b]`;
/**
 * What a spreadsheet would take for a formula, also after blanks, which some of them drop, and in the wide characters
 * of East Asian keyboards. A plain number is not one.
 */
const FORMULA = new RegExp(String.raw`^(?:[${BLANKS}]*${SIGN}|[\t\r])`, 'u');
/**
 * The same where a cell begins in a spreadsheet that splits at semicolons, tabs or line ends. Quotation marks around
 * our cell do not count there, as its own cell began before them; those at its beginning are dropped.
 */
const INNER_FORMULA = new RegExp(String.raw`(?<=[;\t\r\n])(?=(?:(?![\t\r\n])["${BLANKS}])*${SIGN})`, 'gu');
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

/**
 * One line of RFC 4180, including its line end. Text that a spreadsheet would execute gets a leading apostrophe, also
 * within a cell.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string): string {
  const inner = cell.replaceAll(INNER_FORMULA, "'");
  const inert = FORMULA.test(inner) && !PLAIN_NUMBER.test(inner) ? `'${inner}` : inner;
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
