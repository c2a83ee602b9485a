import { isArray, isObject, sameJson, type JsonObject } from "../../domain/json.ts";
import { firstTurn } from "../../domain/kernel/last-turn.ts";
import { NO_CONNECTIONS } from "../../domain/mcp-server.ts";
import { PERMISSIONS_KEY } from "../../domain/policy/parse-policy.ts";
import { GRANTS_KEY } from "../../domain/policy/permission-grant.ts";
import { IDLE, type Session } from "../../domain/session.ts";
import { NEW_FOLDER } from "../../domain/files/session-folder.ts";
import { asGiven, differingFields, KEPT_KEY, ownMetadata, type KeptState } from "./kept-state.ts";
import type { ParsedState } from "./parse-state.ts";
import { stateFields } from "./state-file.ts";

/** A new session with the values of the file. */
export function newSession(state: ParsedState, newId: () => string): Session {
  return withKept(state, {
    ...state.session,
    id: state.isOwnId ? state.name : newId(),
    agentId: state.isOwnId ? null : state.name,
    repoId: null,
    title: null,
    standing: { status: "active", activity: IDLE },
    delivery: "open",
    queue: [],
    provider: null,
    model: null,
    settings: [],
    lastRun: null,
    ...NO_CONNECTIONS,
    ...NEW_FOLDER,
    supportsResume: false,
    supportsSteering: false,
    resumeData: [],
    forkedFrom: null,
    errorTotal: state.session.errorCount,
    lastActiveAt: state.session.updatedAt,
    lastTurn: firstTurn(state.session.updatedAt),
  });
}

/** The stored session with the values of the file. Times never go back. */
export function updatedSession(state: ParsedState, before: Session): Session {
  const updatedAt = Math.max(before.updatedAt, state.session.updatedAt);
  return withKept(state, {
    ...before,
    ...state.session,
    metadata: { ...state.session.metadata, ...permissionsIn(before.metadata) },
    errorTotal: Math.max(before.errorTotal, state.session.errorCount),
    createdAt: before.createdAt,
    updatedAt,
    lastActiveAt: Math.max(before.lastActiveAt, state.session.updatedAt),
  });
}

/** Permissions are never imported; the stored ones stay. */
function permissionsIn(metadata: JsonObject): JsonObject {
  const keys = [GRANTS_KEY, PERMISSIONS_KEY];
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => keys.includes(key)));
}

function withKept({ contents, digest }: ParsedState, session: Session): Session {
  const { [KEPT_KEY]: _, ...metadata } = session.metadata;
  const { last_updated: lastUpdated, metadata: fileMetadata, history: fileHistory } = contents;
  const own = ownMetadata(metadata);
  const keptMetadata = differingFields(own, isObject(fileMetadata) ? fileMetadata : {});
  const ours = stateFields({ ...session, metadata });
  const history = fileHistory !== undefined && isArray(fileHistory) ? fileHistory : [];
  const isOwnHistory = history.length === 0 || sameJson(history, ours["history"] ?? []);
  const keptFields = differingFields(
    {
      ...ours,
      metadata: asGiven(own, keptMetadata),
      ...(!isOwnHistory && { history }),
    },
    contents,
  );
  const kept: KeptState = {
    digest,
    ...(typeof lastUpdated === "string" && { lastUpdated }),
    ...(Object.keys(keptFields).length > 0 && { fields: keptFields }),
    ...(!isOwnHistory && { history }),
    ...(Object.keys(keptMetadata).length > 0 && { metadata: keptMetadata }),
  };
  return { ...session, metadata: { ...metadata, [KEPT_KEY]: { ...kept } } };
}
