import type {SafeText} from './safe-text.ts';
import type {Secret} from './secret.ts';

/**
 * What an operation's reply contains besides "scheduled". Absent if the service says nothing more, or nothing readable.
 */
export type OperationResult =
  | {readonly kind: 'created'; readonly ids: readonly number[]; readonly name?: SafeText}
  /** The secret half is shown once, and neither journaled nor logged. */
  | {readonly kind: 'access-key'; readonly id: number; readonly accessKey: SafeText; readonly secretKey: Secret}
  /** The job whose console can be read a few seconds later. */
  | {readonly kind: 'console-job'; readonly jobId: string}
  /** The request under which the log can be read once it is ready. */
  | {readonly kind: 'log-request'; readonly requestId: string}
  /** The URL that receives the machine's events from now on. */
  | {readonly kind: 'callback'; readonly url: SafeText};
