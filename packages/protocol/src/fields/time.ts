import { z } from "zod";

/** Times in replies: ISO-8601 in UTC. */
export const timeSchema = z.iso.datetime();

/** Times in requests: ISO-8601 with any offset, or a date, which is midnight UTC. */
export const timeInputSchema = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date()],
  "must be an ISO-8601 time, such as 2026-01-31T12:00:00Z, or a date",
);
