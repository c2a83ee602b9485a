import {
  createdTokenSchema,
  deleteSessionReplySchema,
  nodeSchema,
  providerSchema,
  rawSessionSchema,
  removedSessionSchema,
  repositorySchema,
  sessionSchema,
  statsSchema,
  suspensionSchema,
  tokenSchema,
} from "../../packages/protocol/src/index.ts";
import { fields, gaiaFields, type Shape } from "./row.ts";

const namesOf = ({ shape }: { readonly shape: object }): readonly string[] => Object.keys(shape);

/** The objects of the HTTP API, with the version of the command line. */
export const SESSION = fields(...namesOf(sessionSchema));
export const DELETED_SESSION = fields(...namesOf(deleteSessionReplySchema));
/** Only a repository with a label has one. */
const REPOSITORY_FIELDS = namesOf(repositorySchema).filter((name) => name !== "label");
export const REPOSITORY = fields(...REPOSITORY_FIELDS);
export const NODE = fields(...namesOf(nodeSchema));
export const TOKEN = fields(...namesOf(tokenSchema));
export const CREATED_TOKEN = fields(...namesOf(createdTokenSchema));
export const RAW_SESSION = fields(...namesOf(rawSessionSchema));
export const STATS = fields(...namesOf(statsSchema));
export const EACH = {
  repository: { each: REPOSITORY_FIELDS },
  node: { each: namesOf(nodeSchema) },
  token: { each: namesOf(tokenSchema) },
  provider: { each: namesOf(providerSchema) },
  removed: { each: namesOf(removedSessionSchema) },
  suspension: { each: namesOf(suspensionSchema) },
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
  STATS,
  STATE,
];
