import { refuse, type Refused } from "../reply.ts";
import type { SessionKeeping } from "./session-keeping.ts";

const refused = async (): Promise<Refused> =>
  refuse("git_failed", "This process cannot use Git in repositories.");

/** Keeps nothing. */
export const NO_KEEPING: SessionKeeping = {
  state: refused,
  commit: refused,
  merge: refused,
  rebase: refused,
  push: refused,
  openPullRequest: refused,
};
