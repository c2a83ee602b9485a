/** What a bundle may be, so that one import can use up neither the server's memory nor its disk. */
export interface BundleLimits {
  /** Characters of one line; the longest hold a message. */
  readonly lineLength: number;
  /** Characters of the line that holds the session: lists carry all of it. */
  readonly sessionLength: number;
  /** Characters of all lines about what is not over: the queue's runs, and what is waited for. */
  readonly openLength: number;
  readonly totalLength: number;
}

const MEBI = 1024 * 1024;

export const BUNDLE_LIMITS: BundleLimits = {
  lineLength: 16 * MEBI,
  sessionLength: 4 * MEBI,
  openLength: 16 * MEBI,
  totalLength: 4096 * MEBI,
};
