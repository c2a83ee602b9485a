/** The session's place in the user's life. What each status means is this table and nothing else. */
export const STATUSES = ["active", "suspended", "archived", "error"] as const;
export type Status = (typeof STATUSES)[number];

export interface StatusRules {
  /** Shown in the session list when no filter is given. */
  readonly listed: boolean;
  /** Counted in the badge. */
  readonly counted: boolean;
  /** A message is accepted, and the composer enabled. */
  readonly takesMessages: boolean;
  readonly final: boolean;
}

export const STATUS_RULES = {
  active: { listed: true, counted: true, takesMessages: true, final: false },
  suspended: { listed: true, counted: true, takesMessages: true, final: false },
  archived: { listed: false, counted: false, takesMessages: false, final: true },
  error: { listed: false, counted: false, takesMessages: false, final: true },
} as const satisfies Record<Status, StatusRules>;

/** What is happening now. */
export const STATES = ["idle", "running", "suspended"] as const;
export type State = (typeof STATES)[number];

/** Every pair that may exist; the types of `Standing` allow exactly these. */
export const LEGAL_STATES = {
  active: ["idle", "running", "suspended"],
  suspended: ["idle", "suspended"],
  archived: ["idle"],
  error: ["idle"],
} as const satisfies Record<Status, readonly State[]>;
