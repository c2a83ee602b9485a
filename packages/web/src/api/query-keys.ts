/** Query keys of the lists that events update. */
export const SESSIONS = "sessions";
export const SUSPENSIONS = "suspensions";
/** One session with its messages, and its ID. */
export const SESSION = "session";
