import { runHost } from "../run-host.ts";

/** A host whose limits are reached in a moment. */
export const SMALL_LIMITS = { logBytes: 400_000, unreadBytes: 100_000 } as const;

if (process.argv[1] === import.meta.filename) runHost(SMALL_LIMITS);
