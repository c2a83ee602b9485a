/** What a bundle may be, so that one import cannot use up the server's memory. */
export interface BundleLimits {
  /** Characters of one line; the longest hold a message. */
  readonly lineLength: number;
  /** Characters of the line that holds the session: lists carry all of it. */
  readonly sessionLength: number;
  readonly totalLength: number;
}

const MEBI = 1024 * 1024;

export const BUNDLE_LIMITS: BundleLimits = {
  lineLength: 16 * MEBI,
  sessionLength: 4 * MEBI,
  totalLength: 256 * MEBI,
};
