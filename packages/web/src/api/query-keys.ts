/** Query keys of the lists that events update. */
export const SESSIONS = "sessions";
export const SUSPENSIONS = "suspensions";
export const SESSION_COUNTS = "session-counts";
