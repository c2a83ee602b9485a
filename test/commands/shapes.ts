import {
  changesSchema,
  commitReplySchema,
  createdTokenSchema,
  deleteSessionReplySchema,
  fileDiffSchema,
  mergeReplySchema,
  nodeSchema,
  pastRunSchema,
  providerSchema,
  pullRequestReplySchema,
  pushReplySchema,
  rawSessionSchema,
  rebaseReplySchema,
  removedSessionSchema,
  repositorySchema,
  rewindReplySchema,
  sessionSchema,
  statsSchema,
  suspensionSchema,
  tokenSchema,
} from "../../packages/protocol/src/index.ts";
import { fields, gaiaFields, type Shape } from "./row.ts";

const namesOf = ({ shape }: { readonly shape: object }): readonly string[] => Object.keys(shape);

/** The objects of the HTTP API, with the version of the command line. */
export const SESSION = fields(...namesOf(sessionSchema));
/** Only a session with a worktree has an end of it. */
export const DELETED_SESSION = fields(
  ...namesOf(deleteSessionReplySchema).filter((name) => name !== "worktreeEnd"),
);
/** Only a repository with a label has one. */
const REPOSITORY_FIELDS = namesOf(repositorySchema).filter((name) => name !== "label");
export const REPOSITORY = fields(...REPOSITORY_FIELDS);
export const NODE = fields(...namesOf(nodeSchema));
export const TOKEN = fields(...namesOf(tokenSchema));
export const CREATED_TOKEN = fields(...namesOf(createdTokenSchema));
export const RAW_SESSION = fields(...namesOf(rawSessionSchema));
export const CHANGES = fields(...namesOf(changesSchema));
export const FILE_DIFF = fields(...namesOf(fileDiffSchema));
export const DRY_REWIND = fields(...namesOf(rewindReplySchema));
export const COMMITTED = fields(...namesOf(commitReplySchema));
export const MERGED = fields(...namesOf(mergeReplySchema));
export const REBASED = fields(...namesOf(rebaseReplySchema));
export const PUSHED = fields(...namesOf(pushReplySchema));
export const PULL_REQUEST = fields(...namesOf(pullRequestReplySchema));
export const STATS = fields(...namesOf(statsSchema));
export const EACH = {
  repository: { each: REPOSITORY_FIELDS },
  node: { each: namesOf(nodeSchema) },
  token: { each: namesOf(tokenSchema) },
  provider: { each: namesOf(providerSchema) },
  removed: { each: namesOf(removedSessionSchema) },
  suspension: { each: namesOf(suspensionSchema) },
  run: { each: namesOf(pastRunSchema).filter((name) => name !== "settings") },
} as const;

/** GAIA's `state.json`, with additional fields of Holdfast. */
export const STATE = gaiaFields(
  "agent_id",
  "session_id",
  "agent_name",
  "purpose",
  "created_at",
  "last_updated",
  "phase",
  "metadata",
  "resume_ready",
  "history",
  "error_count",
  "last_error",
  "status",
  "state",
  "suspended_reason",
  "remove_at",
  "finalized_at",
  "duration_seconds",
  "summary",
);

/** Shapes that are documented elsewhere. */
export const API_OBJECTS: readonly Shape[] = [
  SESSION,
  DELETED_SESSION,
  REPOSITORY,
  NODE,
  TOKEN,
  CREATED_TOKEN,
  RAW_SESSION,
  CHANGES,
  FILE_DIFF,
  DRY_REWIND,
  COMMITTED,
  MERGED,
  REBASED,
  PUSHED,
  PULL_REQUEST,
  STATS,
  STATE,
];
