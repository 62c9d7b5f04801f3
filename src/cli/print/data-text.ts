import {jsonText} from './json-text.ts';
import type {OutputFormat} from '../run-command.ts';
import {yamlText} from './yaml-text.ts';

type DataOptions = {readonly format: OutputFormat; readonly showsSecrets: boolean};

/** Whether a format contains complete values, for programs to read. */
export function isDataFormat(format: OutputFormat): boolean {
  return format === 'json' || format === 'ndjson' || format === 'yaml';
}

/** One value in such a format, ending with a line break. */
export function dataText(value: unknown, {format, showsSecrets}: DataOptions): string {
  if (format === 'yaml') return yamlText(value, {showsSecrets});
  return `${jsonText(value, {showsSecrets, isIndented: format !== 'ndjson'})}\n`;
}

/** Several values: one list, or with `ndjson` one per line. */
export function dataListText(values: readonly unknown[], options: DataOptions): string {
  if (options.format !== 'ndjson') return dataText(values, options);
  return values.map(value => dataText(value, options)).join('');
}
