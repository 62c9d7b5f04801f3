/** When somebody is warned about the credit. */
export const THRESHOLDS = [
  {id: 1, threshold: 50, title: 'Low credit', tooltip: 'Sent when credit falls below this.'},
  {id: 2, threshold: 10, title: 'Very low credit', tooltip: 'Sent once more, nearer to the end.'},
  {id: 3, threshold: 0, title: 'No credit', tooltip: 'Sent when resources are suspended.'},
] as const;

export const SUBSCRIBED_AT_FIRST: readonly number[] = [1, 2];
