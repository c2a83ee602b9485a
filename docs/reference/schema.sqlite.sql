CREATE TABLE "AccessToken" (
  "id" text not null,
  "name" text not null,
  "scope" text not null check ("scope" in ('read', 'send', 'approve', 'admin')),
  "digest" text not null,
  "createdAt" integer not null,
  "lastUsedAt" integer,
  "expiresAt" integer,
  "revokedAt" integer, "sessionId" text,
  constraint "access_token_key" primary key ("id"),
  constraint "access_token_digest" unique ("digest")
) strict;

CREATE TABLE "AgentMessage" (
  "id" text not null,
  "sessionId" text not null constraint "agent_message_session" references "AgentSession" ("id") on delete cascade,
  "runId" text,
  "seq" integer not null,
  "role" text not null check ("role" in ('user', 'agent', 'system')),
  "content" text not null check (json_valid("content")),
  "complete" integer not null,
  "timestamp" integer not null,
  constraint "agent_message_key" primary key ("id")
) strict;

CREATE UNIQUE INDEX "agent_message_by_session" on "AgentMessage" ("sessionId", "seq");

CREATE INDEX "agent_message_by_time" on "AgentMessage" ("sessionId", "timestamp");

CREATE INDEX "agent_message_growing" on "AgentMessage" ("sessionId") where "complete" = 0;

CREATE TRIGGER "changed_message_noted" after update of "content", "complete" on "AgentMessage"
  when new."complete" = 1 begin insert into "SearchTodo" ("id") values (new."id") on conflict do nothing; end;

CREATE TRIGGER "message_noted" after insert on "AgentMessage"
  when new."complete" = 1 begin insert into "SearchTodo" ("id") values (new."id") on conflict do nothing; end;

CREATE TABLE "AgentSession" (
  "id" text not null,
  "repoId" text constraint "agent_session_repo" references "Repo" ("id"),
  "title" text,
  "status" text not null check ("status" in ('active', 'suspended', 'archived', 'error')),
  "state" text not null check ("state" in ('idle', 'running', 'suspended')),
  "phase" text not null check ("phase" in ('initializing', 'investigating', 'planning', 'approval',
    'executing', 'validating', 'completed', 'failed', 'abandoned')),
  "phaseHistory" text not null check (json_valid("phaseHistory")),
  "resumeReady" integer not null,
  "errorCount" integer not null,
  "lastError" text,
  "lastErrorId" text,
  "agentName" text,
  "purpose" text,
  "metadata" text not null check (json_valid("metadata")),
  "provider" text,
  "model" text,
  "supportsResume" integer not null,
  "resumeData" text  check (json_valid("resumeData")),
  "delivery" text not null check ("delivery" in ('open', 'hold', 'reject')),
  "queued" integer not null check ("queued" >= 0),
  "forkedFrom" text  check (json_valid("forkedFrom")),
  "failure" text,
  "summary" text,
  "createdAt" integer not null,
  "updatedAt" integer not null,
  "lastActiveAt" integer not null,
  "archivedAt" integer,
  "failedAt" integer,
  "finalizedAt" integer,
  "version" integer not null,
  "lastSeq" integer not null,
  "owner" text,
  "epoch" integer not null default 0,
  "setAside" integer not null default 0, "agentId" text, "suspendedAt" integer, "suspendedReason" text, "lastProvider" text, "lastModel" text, "lastErrorAt" integer, "errorTotal" integer not null default 0, "settings" text, "mcpServers" text, "directories" text, "supportsSteering" integer not null default 0, "agentCursor" text, "workspace" text, "files" text, "rewind" text, "lastTurnAt" integer not null default 0, "lastOutcome" text, "lastLine" text,
  constraint "agent_session_key" primary key ("id"),
  constraint "agent_session_standing" check (
    "status" = 'active'
    or ("status" = 'suspended' and "state" in ('idle', 'suspended'))
    or ("status" = 'archived' and "state" = 'idle' and "archivedAt" is not null)
    or ("status" = 'error' and "state" = 'idle' and "failedAt" is not null)
  )
) strict;

CREATE INDEX "agent_session_at_work" on "AgentSession" ("state", "createdAt", "id")
  where "setAside" = 0 and "state" <> 'idle';

CREATE INDEX "agent_session_by_agent" on "AgentSession" ("agentName", "createdAt", "id")
  where "setAside" = 0 and "agentName" is not null;

CREATE UNIQUE INDEX "agent_session_by_agent_id" on "AgentSession" ("agentId")
  where "agentId" is not null;

CREATE INDEX "agent_session_by_outcome" on "AgentSession" ("status", "lastTurnAt", "id", "lastOutcome", "state")
  where "setAside" = 0 and "lastOutcome" <> 'completed';

CREATE INDEX "agent_session_by_owner" on "AgentSession" ("owner") where "owner" is not null;

CREATE INDEX "agent_session_by_phase" on "AgentSession" ("phase", "createdAt", "id")
  where "setAside" = 0 and "phase" <> 'initializing';

CREATE INDEX "agent_session_by_repo" on "AgentSession" ("repoId", "status", "createdAt", "id") where "setAside" = 0;

CREATE INDEX "agent_session_by_repo_turn" on "AgentSession" ("repoId", "status", "lastTurnAt", "id")
  where "setAside" = 0;

CREATE INDEX "agent_session_by_status" on "AgentSession" ("status", "createdAt", "id") where "setAside" = 0;

CREATE INDEX "agent_session_by_time" on "AgentSession" ("createdAt", "id") where "setAside" = 0;

CREATE INDEX "agent_session_by_turn" on "AgentSession" ("status", "lastTurnAt", "id") where "setAside" = 0;

CREATE INDEX "agent_session_queued" on "AgentSession" ("id") where "queued" > 0;

CREATE TRIGGER "renamed_session_noted" after update of "title", "purpose", "agentName" on "AgentSession"
  begin insert into "SearchTodo" ("id") values (new."id") on conflict do nothing; end;

CREATE TRIGGER "session_added" after insert on "AgentSession" begin insert into "SessionTally" ("repoId", "status", "count")
  select coalesce(new."repoId", ''), new."status", 1 where new."setAside" = 0
  on conflict ("repoId", "status") do update set "count" = "count" + 1; end;

CREATE TRIGGER "session_changed" after update of "status", "repoId", "setAside" on "AgentSession"
  when old."status" is not new."status" or old."repoId" is not new."repoId"
    or old."setAside" is not new."setAside"
  begin update "SessionTally" set "count" = "count" - 1
  where "repoId" = coalesce(old."repoId", '') and "status" = old."status" and old."setAside" = 0; insert into "SessionTally" ("repoId", "status", "count")
  select coalesce(new."repoId", ''), new."status", 1 where new."setAside" = 0
  on conflict ("repoId", "status") do update set "count" = "count" + 1; end;

CREATE TRIGGER "session_noted" after insert on "AgentSession"
  when coalesce(new."title", new."purpose", new."agentName") is not null begin insert into "SearchTodo" ("id") values (new."id") on conflict do nothing; end;

CREATE TRIGGER "session_removed" after delete on "AgentSession" begin update "SessionTally" set "count" = "count" - 1
  where "repoId" = coalesce(old."repoId", '') and "status" = old."status" and old."setAside" = 0; end;

CREATE TABLE "Browser" (
  "id" text not null,
  "scope" text not null check ("scope" in ('read', 'send', 'approve', 'admin')),
  "tokenId" text,
  "tokenName" text,
  "userAgent" text not null,
  "digest" text not null,
  "createdAt" integer not null,
  "lastUsedAt" integer not null,
  "expiresAt" integer not null,
  constraint "browser_key" primary key ("id"),
  constraint "browser_digest" unique ("digest")
) strict;

CREATE TABLE "FormerMessage" (
  "sessionId" text not null constraint "former_message_session"
    references "AgentSession" ("id") on delete cascade,
  "messageId" text not null,
  "role" text not null,
  "content" text not null check (json_valid("content")),
  constraint "former_message_key" primary key ("sessionId", "messageId")
) without rowid, strict;

CREATE TABLE "HoldfastMigration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);

CREATE TABLE "HoldfastMigrationLock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);

CREATE TABLE "IdempotencyKey" (
  "scope" text not null,
  "key" text not null,
  "requestHash" text not null,
  "response" text not null check (json_valid("response")),
  "createdAt" integer not null,
  constraint "idempotency_key_key" primary key ("scope", "key")
) without rowid, strict;

CREATE INDEX "idempotency_key_by_time" on "IdempotencyKey" ("createdAt");

CREATE TABLE "NodeLease" (
  "node" text not null,
  "expiresAt" integer not null,
  "startedAt" integer not null, "about" text, "draining" integer not null default 0,
  constraint "node_lease_key" primary key ("node")
) strict;

CREATE TABLE "ProviderOffer" (
  "provider" text not null,
  "offer" text not null,
  "at" integer not null,
  constraint "provider_offer_key" primary key ("provider")
) strict;

CREATE TABLE "QueuedMessage" (
  "messageId" text not null,
  "sessionId" text not null constraint "queued_message_session" references "AgentSession" ("id") on delete cascade,
  "runId" text not null,
  "position" integer not null,
  "content" text not null check (json_valid("content")),
  "provider" text,
  "model" text,
  "continuity" text not null check ("continuity" in ('auto', 'required', 'off')),
  "attempts" integer not null,
  "queuedAt" integer not null, "settings" text, "steer" text,
  constraint "queued_message_key" primary key ("messageId")
) strict;

CREATE INDEX "queued_message_by_session" on "QueuedMessage" ("sessionId", "position");

CREATE TABLE "Repo" (
  "id" text not null,
  "path" text not null,
  "name" text not null,
  "createdAt" integer not null, "label" text,
  constraint "repo_key" primary key ("id"),
  constraint "repo_path" unique ("path")
) strict;

CREATE TABLE "Run" (
  "id" text not null,
  "sessionId" text not null constraint "run_session" references "AgentSession" ("id") on delete cascade,
  "messageId" text not null,
  "status" text not null check ("status" in ('queued', 'running', 'suspended', 'completed', 'failed',
    'cancelled', 'interrupted')),
  "provider" text,
  "model" text,
  "continuity" text not null check ("continuity" in ('auto', 'required', 'off')),
  "handed" integer not null,
  "attempts" integer not null,
  "stopReason" text,
  "error" text  check (json_valid("error")),
  "usage" text  check (json_valid("usage")),
  "queuedAt" integer not null,
  "startedAt" integer,
  "endedAt" integer, "memory" text check (json_valid("memory")), "unusedAnswers" text check (json_valid("unusedAnswers")), "unusedShown" integer, "settings" text, "filesBefore" text, "filesAfter" text, "changes" text, "rewoundAt" integer,
  constraint "run_key" primary key ("id")
) strict;

CREATE UNIQUE INDEX "run_at_work" on "Run" ("sessionId") where "status" in ('running', 'suspended');

CREATE INDEX "run_by_session" on "Run" ("sessionId", "queuedAt");

CREATE INDEX "run_unused_answers" on "Run" ("endedAt") where "unusedShown" = 1;

CREATE TABLE "SearchDocument" ("key" integer primary key,
  "sessionId" text not null constraint "search_document_session"
    references "AgentSession" ("id") on delete cascade,
  "messageId" text constraint "search_document_message"
    references "AgentMessage" ("id") on delete cascade) strict;

CREATE UNIQUE INDEX "search_document_by_message" on "SearchDocument" ("messageId")
  where "messageId" is not null;

CREATE INDEX "search_document_by_session" on "SearchDocument" ("sessionId");

CREATE UNIQUE INDEX "search_document_of_session" on "SearchDocument" ("sessionId")
  where "messageId" is null;

CREATE TRIGGER "search_document_removed" after delete on "SearchDocument"
  begin delete from "SearchIndex" where rowid = old."key"; end;

CREATE VIRTUAL TABLE "SearchIndex" using fts5 (
  words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', detail = none);

CREATE TABLE "SearchTodo" ("id" text primary key) strict, without rowid;

CREATE TABLE "SessionEvent" (
  "sessionId" text not null constraint "session_event_session" references "AgentSession" ("id") on delete cascade,
  "seq" integer not null,
  "at" integer not null,
  "kind" text not null check ("kind" in ('event', 'message', 'delta')),
  "messageId" text,
  "data" text,
  constraint "session_event_key" primary key ("sessionId", "seq")
) without rowid, strict;

CREATE TABLE "SessionTally" (
  "repoId" text not null,
  "status" text not null,
  "count" integer not null,
  constraint "session_tally_key" primary key ("repoId", "status")
) without rowid, strict;

CREATE TABLE "SetAside" (
  "tableName" text not null,
  "rowId" text not null,
  "reason" text not null,
  "row" text not null,
  "at" integer not null,
  constraint "set_aside_key" primary key ("tableName", "rowId")
) strict;

CREATE TABLE "Suspension" (
  "id" text not null,
  "sessionId" text not null constraint "suspension_session" references "AgentSession" ("id") on delete cascade,
  "runId" text not null constraint "suspension_run" references "Run" ("id") on delete cascade,
  "kind" text not null check ("kind" in ('permission', 'question', 'tool_result', 'event', 'rate_limit',
    'budget', 'shutdown', 'elicitation', 'login')),
  "request" text not null check (json_valid("request")),
  "fingerprint" text,
  "status" text not null check ("status" in ('open', 'answered', 'withdrawn', 'expired', 'released')),
  "answer" text  check (json_valid("answer")),
  "answeredBy" text,
  "createdAt" integer not null,
  "expiresAt" integer,
  "closedAt" integer,
  constraint "suspension_key" primary key ("id")
) strict;

CREATE INDEX "suspension_by_run" on "Suspension" ("runId");

CREATE INDEX "suspension_by_session" on "Suspension" ("sessionId", "createdAt");

CREATE INDEX "suspension_open" on "Suspension" ("createdAt") where "status" = 'open';
