import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

const NOTE = `insert into "SearchTodo" ("id") values (new."id") on conflict do nothing`;

/** SQLite notes itself what the full-text search has yet to take in, so that no write can forget it. */
export function noteForSearch({ engine }: MigrationContext): Migration {
  if (engine === "postgres") return statementsOnly([], []);
  return statementsOnly(
    [
      `create trigger "message_noted" after insert on "AgentMessage"
        when new."complete" = 1 begin ${NOTE}; end`,
      `create trigger "changed_message_noted" after update of "content", "complete" on "AgentMessage"
        when new."complete" = 1 begin ${NOTE}; end`,
      `create trigger "session_noted" after insert on "AgentSession"
        when coalesce(new."title", new."purpose", new."agentName") is not null begin ${NOTE}; end`,
      `create trigger "renamed_session_noted" after update of "title", "purpose", "agentName" on "AgentSession"
        begin ${NOTE}; end`,
    ],
    [
      `drop trigger "renamed_session_noted"`,
      `drop trigger "session_noted"`,
      `drop trigger "changed_message_noted"`,
      `drop trigger "message_noted"`,
    ],
  );
}
