/** Limits that keep one import from exhausting the memory or the disk of the server. */
export interface BundleLimits {
  /** Characters of one line; messages are the longest. */
  readonly lineLength: number;
  /** Characters of the session line, because lists of sessions contain all of it. */
  readonly sessionLength: number;
  /** Characters of all lines of open runs, open suspensions and the queue. */
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
