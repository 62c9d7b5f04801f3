/** One promise about a hostile world, and how it is measured on the built program. */
export type Goal = {
  readonly name: string;
  readonly asked: string;
  readonly measure: () => Promise<Measured>;
};

export type Measured = {readonly measured: string; readonly isMet: boolean};
