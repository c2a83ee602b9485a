import type { Row } from "./row.ts";
import { SESSION_ROWS } from "./rows-sessions.ts";
import { TALK_ROWS } from "./rows-talk.ts";
import { UPKEEP_ROWS } from "./rows-upkeep.ts";

/** All rows; a new command adds a file of its own, or rows to one of these. */
export const ROWS: readonly Row[] = [...TALK_ROWS, ...SESSION_ROWS, ...UPKEEP_ROWS];
