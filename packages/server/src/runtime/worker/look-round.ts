/** What a nudge of a worker may ask for. */
export interface Nudge {
  /** This node was asked to take the session up, even if another one has more room. */
  readonly isWanted?: boolean;
  /** Another process may have changed the session, so that it must be read. */
  readonly hasChanged?: boolean;
  /** The session gets an agent even if it has nothing to do. The ID of its last run. */
  readonly warmUp?: string;
}

export const WANTED: Nudge = { isWanted: true, hasChanged: true };
export const CHANGED: Nudge = { hasChanged: true };

/** One round of looks at the stored session. A nudge during a look makes another one follow. */
export interface Round {
  isNudged: boolean;
  isWanted: boolean;
  warmUp: string | null;
  done: Promise<void>;
}

export function openRound({ isWanted = false, warmUp }: Nudge): Round {
  return { isNudged: true, isWanted, warmUp: warmUp ?? null, done: Promise.resolve() };
}

export function joinRound(round: Round, { isWanted = false, warmUp }: Nudge): void {
  round.isNudged = true;
  round.isWanted ||= isWanted;
  round.warmUp ??= warmUp ?? null;
}
