import type { Migration } from "kysely/migration";
import { portal } from "./0001-portal.ts";
import { sessions } from "./0002-sessions.ts";
import { search } from "./0003-search.ts";
import { memory } from "./0004-memory.ts";
import { agentId } from "./0005-agent-id.ts";
import { nodes } from "./0006-nodes.ts";
import { tokens } from "./0007-tokens.ts";
import { tally } from "./0008-tally.ts";
import { suspendedAt } from "./0009-suspended-at.ts";
import { roles } from "./0010-roles.ts";
import { lastAgent } from "./0011-last-agent.ts";
import { unfinished } from "./0012-unfinished.ts";
import { errors } from "./0013-errors.ts";
import { browsers } from "./0014-browsers.ts";
import { settings } from "./0015-settings.ts";
import { connections } from "./0016-connections.ts";
import { suspensionKinds } from "./0018-suspension-kinds.ts";
import { steering } from "./0019-steering.ts";
import { supportsSteering } from "./0020-supports-steering.ts";
import { agentCursor } from "./0021-agent-cursor.ts";
import { workingFiles } from "./0022-working-files.ts";
import { lastTurn } from "./0023-last-turn.ts";
import { sharedSessions } from "./0024-shared-sessions.ts";
import { lastOutcome } from "./0025-last-outcome.ts";
import { approve } from "./0026-approve.ts";
import { searchLater } from "./0027-search-later.ts";
import { noteForSearch } from "./0028-note-for-search.ts";
import type { MigrationContext } from "./migration-context.ts";

/** In order. A released migration never changes: add a new one. */
export function migrations(context: MigrationContext): Record<string, Migration> {
  return {
    "0001-portal": portal(context),
    "0002-sessions": sessions(context),
    "0003-search": search(context),
    "0004-memory": memory(context),
    "0005-agent-id": agentId(),
    "0006-nodes": nodes(),
    "0007-tokens": tokens(context),
    "0008-tally": tally(context),
    "0009-suspended-at": suspendedAt(context),
    "0010-roles": roles(context),
    "0011-last-agent": lastAgent(),
    "0012-unfinished": unfinished(context),
    "0013-errors": errors(context),
    "0014-browsers": browsers(context),
    "0015-settings": settings(context),
    "0016-connections": connections(),
    "0018-suspension-kinds": suspensionKinds(context),
    "0019-steering": steering(),
    "0020-supports-steering": supportsSteering(context),
    "0021-agent-cursor": agentCursor(),
    "0022-working-files": workingFiles(context),
    "0023-last-turn": lastTurn(context),
    "0024-shared-sessions": sharedSessions(),
    "0025-last-outcome": lastOutcome(),
    "0026-approve": approve(context),
    "0027-search-later": searchLater(context),
    "0028-note-for-search": noteForSearch(context),
  };
}
