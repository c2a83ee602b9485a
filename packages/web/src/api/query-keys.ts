/** Where lists are kept, to find them again when something changes. */
export const SESSIONS = "sessions";
export const SUSPENSIONS = "suspensions";
export const SESSION_COUNTS = "session-counts";
