import { GitFault } from "../../git/git-fault.ts";
import type { SessionFiles } from "./session-files.ts";

const fail = (): never => {
  throw new GitFault("Snapshots of files are turned off.");
};
const refuse = async (): Promise<never> => fail();

/** Takes no snapshots. */
export const NO_FILES: SessionFiles = {
  git: {
    snapshot: refuse,
    changes: refuse,
    fileDiff: refuse,
    patch: refuse,
    planRestore: refuse,
    restore: refuse,
    finishRestore: refuse,
    keep: refuse,
    forget: async () => {},
  },
  folderOf: async () => null,
  before: async () => null,
  after: async () => [],
  recordAfter: async () => {},
  settle: async () => {},
  carryOut: async (_session, { id }) => [{ type: "end-rewind", at: 0, id, error: null }],
  forget: async () => {},
};
