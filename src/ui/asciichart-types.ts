declare module 'asciichart' {
  type PlotOptions = {
    readonly height?: number;
    readonly offset?: number;
    readonly min?: number;
    readonly max?: number;
    readonly symbols?: readonly string[];
    readonly format?: (value: number, index: number) => string;
  };
  /** Throws on an empty series and on NaN. */
  export function plot(series: readonly number[], options?: PlotOptions): string;
}
