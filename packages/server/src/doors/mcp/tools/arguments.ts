import { ID_PATTERN, LIMITS } from "@holdfast/protocol";
import { z } from "zod";

export const SESSION = z
  .string()
  .regex(ID_PATTERN)
  .describe("ID of the session, or the agent ID that was given to it");

export const RUN = z.string().regex(ID_PATTERN);

/** Clients often give up after a minute. */
export const DEFAULT_WAIT_S = 50;
const MAX_WAIT_S = 3_600;

export const WAIT_SECONDS = z
  .number()
  .min(0)
  .max(MAX_WAIT_S)
  .default(DEFAULT_WAIT_S)
  .describe(
    "how long to wait for the end of the run; 0 returns at once. Clients that support tasks get a task instead",
  );

export const MESSAGE = z.string().regex(/\S/u).max(LIMITS.messageBytes);

export const PAGE = {
  limit: z.number().int().min(1).max(LIMITS.pageSize).default(20),
  cursor: z
    .string()
    .min(1)
    .max(LIMITS.cursorLength)
    .optional()
    .describe("nextCursor of the page before"),
};

export const READS = { readOnlyHint: true, openWorldHint: false } as const;
export const CHANGES = {
  readOnlyHint: false,
  destructiveHint: false,
  openWorldHint: false,
} as const;
/** Agents act outside of Holdfast. */
export const WORKS = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const;
