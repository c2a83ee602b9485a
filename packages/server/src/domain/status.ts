/** The status of a session for its user. `STATUS_RULES` defines the meaning of each one. */
export const STATUSES = ["active", "suspended", "archived", "error"] as const;
export type Status = (typeof STATUSES)[number];

export interface StatusRules {
  /** Shown in the session list when no filter is given. */
  readonly listed: boolean;
  /** Counted in the badge. */
  readonly counted: boolean;
  /** Messages are accepted. */
  readonly takesMessages: boolean;
  readonly final: boolean;
}

export const STATUS_RULES = {
  active: { listed: true, counted: true, takesMessages: true, final: false },
  suspended: { listed: true, counted: true, takesMessages: true, final: false },
  archived: { listed: false, counted: false, takesMessages: false, final: true },
  error: { listed: false, counted: false, takesMessages: false, final: true },
} as const satisfies Record<Status, StatusRules>;

/** The current activity of a session. */
export const STATES = ["idle", "running", "suspended"] as const;
export type State = (typeof STATES)[number];

/** All valid pairs. The type `Standing` allows exactly these. */
export const LEGAL_STATES = {
  active: ["idle", "running", "suspended"],
  suspended: ["idle", "suspended"],
  archived: ["idle"],
  error: ["idle"],
} as const satisfies Record<Status, readonly State[]>;
