import type { Row } from "./row.ts";
import { SERVER_ROWS } from "./rows-server.ts";
import { SESSION_ROWS } from "./rows-sessions.ts";
import { TALK_ROWS } from "./rows-talk.ts";
import { UPKEEP_ROWS } from "./rows-upkeep.ts";
import { WORK_ROWS } from "./rows-work.ts";

/** All rows; a new command adds a file of its own, or rows to one of these. */
export const ROWS: readonly Row[] = [
  ...TALK_ROWS,
  ...SESSION_ROWS,
  ...WORK_ROWS,
  ...UPKEEP_ROWS,
  ...SERVER_ROWS,
];
