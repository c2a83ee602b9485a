create table "AccessToken" (
  id text not null,
  name text not null,
  scope text not null,
  digest text not null,
  "createdAt" bigint not null,
  "lastUsedAt" bigint,
  "expiresAt" bigint,
  "revokedAt" bigint,
  "sessionId" text,
  constraint "AccessToken_scope_check" CHECK ((scope = ANY (ARRAY['read'::text, 'send'::text, 'approve'::text, 'admin'::text]))),
  constraint access_token_digest UNIQUE (digest),
  constraint access_token_key PRIMARY KEY (id)
);

create table "AgentMessage" (
  id text not null,
  "sessionId" text not null,
  "runId" text,
  seq bigint not null,
  role text not null,
  content json not null,
  complete smallint not null,
  "timestamp" bigint not null,
  constraint "AgentMessage_role_check" CHECK ((role = ANY (ARRAY['user'::text, 'agent'::text, 'system'::text]))),
  constraint agent_message_key PRIMARY KEY (id),
  constraint agent_message_session FOREIGN KEY ("sessionId") REFERENCES "AgentSession"(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX agent_message_by_session ON public."AgentMessage" USING btree ("sessionId", seq);
CREATE INDEX agent_message_by_time ON public."AgentMessage" USING btree ("sessionId", "timestamp");
CREATE INDEX agent_message_growing ON public."AgentMessage" USING btree ("sessionId") WHERE (complete = 0);

create table "AgentSession" (
  id text not null,
  "repoId" text,
  title text,
  status text not null,
  state text not null,
  phase text not null,
  "phaseHistory" json not null,
  "resumeReady" smallint not null,
  "errorCount" bigint not null,
  "lastError" text,
  "lastErrorId" text,
  "agentName" text,
  purpose text,
  metadata json not null,
  provider text,
  model text,
  "supportsResume" smallint not null,
  "resumeData" json,
  delivery text not null,
  queued bigint not null,
  "forkedFrom" json,
  failure text,
  summary text,
  "createdAt" bigint not null,
  "updatedAt" bigint not null,
  "lastActiveAt" bigint not null,
  "archivedAt" bigint,
  "failedAt" bigint,
  "finalizedAt" bigint,
  version bigint not null,
  "lastSeq" bigint not null,
  owner text,
  epoch bigint not null default 0,
  "setAside" smallint not null default 0,
  "agentId" text,
  "suspendedAt" bigint,
  "suspendedReason" text,
  "lastProvider" text,
  "lastModel" text,
  "lastErrorAt" bigint,
  "errorTotal" bigint not null default 0,
  settings text,
  "mcpServers" text,
  directories text,
  "supportsSteering" smallint not null default 0,
  "agentCursor" text,
  workspace text,
  files text,
  rewind text,
  "lastTurnAt" bigint not null default 0,
  "lastOutcome" text,
  "lastLine" text,
  constraint "AgentSession_delivery_check" CHECK ((delivery = ANY (ARRAY['open'::text, 'hold'::text, 'reject'::text]))),
  constraint "AgentSession_phase_check" CHECK ((phase = ANY (ARRAY['initializing'::text, 'investigating'::text, 'planning'::text, 'approval'::text, 'executing'::text, 'validating'::text, 'completed'::text, 'failed'::text, 'abandoned'::text]))),
  constraint "AgentSession_queued_check" CHECK ((queued >= 0)),
  constraint "AgentSession_state_check" CHECK ((state = ANY (ARRAY['idle'::text, 'running'::text, 'suspended'::text]))),
  constraint "AgentSession_status_check" CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'archived'::text, 'error'::text]))),
  constraint agent_session_key PRIMARY KEY (id),
  constraint agent_session_repo FOREIGN KEY ("repoId") REFERENCES "Repo"(id),
  constraint agent_session_standing CHECK (((status = 'active'::text) OR ((status = 'suspended'::text) AND (state = ANY (ARRAY['idle'::text, 'suspended'::text]))) OR ((status = 'archived'::text) AND (state = 'idle'::text) AND ("archivedAt" IS NOT NULL)) OR ((status = 'error'::text) AND (state = 'idle'::text) AND ("failedAt" IS NOT NULL))))
);
CREATE INDEX agent_session_at_work ON public."AgentSession" USING btree (state, "createdAt", id) WHERE (("setAside" = 0) AND (state <> 'idle'::text));
CREATE INDEX agent_session_by_agent ON public."AgentSession" USING btree ("agentName", "createdAt", id) WHERE (("setAside" = 0) AND ("agentName" IS NOT NULL));
CREATE UNIQUE INDEX agent_session_by_agent_id ON public."AgentSession" USING btree ("agentId") WHERE ("agentId" IS NOT NULL);
CREATE INDEX agent_session_by_outcome ON public."AgentSession" USING btree (status, "lastTurnAt", id, "lastOutcome", state) WHERE (("setAside" = 0) AND ("lastOutcome" <> 'completed'::text));
CREATE INDEX agent_session_by_owner ON public."AgentSession" USING btree (owner) WHERE (owner IS NOT NULL);
CREATE INDEX agent_session_by_phase ON public."AgentSession" USING btree (phase, "createdAt", id) WHERE (("setAside" = 0) AND (phase <> 'initializing'::text));
CREATE INDEX agent_session_by_repo ON public."AgentSession" USING btree ("repoId", status, "createdAt", id) WHERE ("setAside" = 0);
CREATE INDEX agent_session_by_repo_turn ON public."AgentSession" USING btree ("repoId", status, "lastTurnAt", id) WHERE ("setAside" = 0);
CREATE INDEX agent_session_by_status ON public."AgentSession" USING btree (status, "createdAt", id) WHERE ("setAside" = 0);
CREATE INDEX agent_session_by_time ON public."AgentSession" USING btree ("createdAt", id) WHERE ("setAside" = 0);
CREATE INDEX agent_session_by_turn ON public."AgentSession" USING btree (status, "lastTurnAt", id) WHERE ("setAside" = 0);
CREATE INDEX agent_session_queued ON public."AgentSession" USING btree (id) WHERE (queued > 0);
CREATE TRIGGER session_changed AFTER UPDATE OF status, "repoId", "setAside" ON public."AgentSession" FOR EACH ROW WHEN (((old.status <> new.status) OR (old."repoId" IS DISTINCT FROM new."repoId") OR (old."setAside" <> new."setAside"))) EXECUTE FUNCTION count_session();
CREATE TRIGGER session_counted AFTER INSERT OR DELETE ON public."AgentSession" FOR EACH ROW EXECUTE FUNCTION count_session();

create table "Browser" (
  id text not null,
  scope text not null,
  "tokenId" text,
  "tokenName" text,
  "userAgent" text not null,
  digest text not null,
  "createdAt" bigint not null,
  "lastUsedAt" bigint not null,
  "expiresAt" bigint not null,
  constraint "Browser_scope_check" CHECK ((scope = ANY (ARRAY['read'::text, 'send'::text, 'approve'::text, 'admin'::text]))),
  constraint browser_digest UNIQUE (digest),
  constraint browser_key PRIMARY KEY (id)
);

create table "FormerMessage" (
  "sessionId" text not null,
  "messageId" text not null,
  role text not null,
  content json not null,
  constraint former_message_key PRIMARY KEY ("sessionId", "messageId"),
  constraint former_message_session FOREIGN KEY ("sessionId") REFERENCES "AgentSession"(id) ON DELETE CASCADE
);

create table "HoldfastMigration" (
  name character varying(255) not null,
  "timestamp" character varying(255) not null,
  constraint "HoldfastMigration_pkey" PRIMARY KEY (name)
);

create table "HoldfastMigrationLock" (
  id character varying(255) not null,
  is_locked integer not null default 0,
  constraint "HoldfastMigrationLock_pkey" PRIMARY KEY (id)
);

create table "IdempotencyKey" (
  scope text not null,
  key text not null,
  "requestHash" text not null,
  response json not null,
  "createdAt" bigint not null,
  constraint idempotency_key_key PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_key_by_time ON public."IdempotencyKey" USING btree ("createdAt");

create table "NodeLease" (
  node text not null,
  "expiresAt" bigint not null,
  "startedAt" bigint not null,
  about text,
  draining integer not null default 0,
  constraint node_lease_key PRIMARY KEY (node)
);

create table "ProviderOffer" (
  provider text not null,
  offer text not null,
  at bigint not null,
  constraint provider_offer_key PRIMARY KEY (provider)
);

create table "QueuedMessage" (
  "messageId" text not null,
  "sessionId" text not null,
  "runId" text not null,
  "position" bigint not null,
  content json not null,
  provider text,
  model text,
  continuity text not null,
  attempts bigint not null,
  "queuedAt" bigint not null,
  settings text,
  steer text,
  constraint "QueuedMessage_continuity_check" CHECK ((continuity = ANY (ARRAY['auto'::text, 'required'::text, 'off'::text]))),
  constraint queued_message_key PRIMARY KEY ("messageId"),
  constraint queued_message_session FOREIGN KEY ("sessionId") REFERENCES "AgentSession"(id) ON DELETE CASCADE
);
CREATE INDEX queued_message_by_session ON public."QueuedMessage" USING btree ("sessionId", "position");

create table "Repo" (
  id text not null,
  path text not null,
  name text not null,
  "createdAt" bigint not null,
  label text,
  constraint repo_key PRIMARY KEY (id),
  constraint repo_path UNIQUE (path)
);

create table "Run" (
  id text not null,
  "sessionId" text not null,
  "messageId" text not null,
  status text not null,
  provider text,
  model text,
  continuity text not null,
  handed smallint not null,
  attempts bigint not null,
  "stopReason" text,
  error json,
  usage json,
  "queuedAt" bigint not null,
  "startedAt" bigint,
  "endedAt" bigint,
  memory json,
  "unusedAnswers" json,
  "unusedShown" smallint,
  settings text,
  "filesBefore" text,
  "filesAfter" text,
  changes text,
  "rewoundAt" bigint,
  constraint "Run_continuity_check" CHECK ((continuity = ANY (ARRAY['auto'::text, 'required'::text, 'off'::text]))),
  constraint "Run_status_check" CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'suspended'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'interrupted'::text]))),
  constraint run_key PRIMARY KEY (id),
  constraint run_session FOREIGN KEY ("sessionId") REFERENCES "AgentSession"(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX run_at_work ON public."Run" USING btree ("sessionId") WHERE (status = ANY (ARRAY['running'::text, 'suspended'::text]));
CREATE INDEX run_by_session ON public."Run" USING btree ("sessionId", "queuedAt");
CREATE INDEX run_unused_answers ON public."Run" USING btree ("endedAt") WHERE ("unusedShown" = 1);

create table "SearchDocument" (
  key bigint not null generated always as identity,
  "sessionId" text not null,
  "messageId" text,
  words tsvector not null,
  constraint search_document_key PRIMARY KEY (key),
  constraint search_document_message FOREIGN KEY ("messageId") REFERENCES "AgentMessage"(id) ON DELETE CASCADE,
  constraint search_document_session FOREIGN KEY ("sessionId") REFERENCES "AgentSession"(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX search_document_by_message ON public."SearchDocument" USING btree ("messageId") WHERE ("messageId" IS NOT NULL);
CREATE INDEX search_document_by_session ON public."SearchDocument" USING btree ("sessionId");
CREATE UNIQUE INDEX search_document_of_session ON public."SearchDocument" USING btree ("sessionId") WHERE ("messageId" IS NULL);
CREATE INDEX search_document_words ON public."SearchDocument" USING gin (words);

create table "SessionEvent" (
  "sessionId" text not null,
  seq bigint not null,
  at bigint not null,
  kind text not null,
  "messageId" text,
  data text,
  constraint "SessionEvent_kind_check" CHECK ((kind = ANY (ARRAY['event'::text, 'message'::text, 'delta'::text]))),
  constraint session_event_key PRIMARY KEY ("sessionId", seq),
  constraint session_event_session FOREIGN KEY ("sessionId") REFERENCES "AgentSession"(id) ON DELETE CASCADE
);

create table "SessionTally" (
  "repoId" text not null,
  status text not null,
  count bigint not null,
  folded smallint not null default 0
);

create table "SetAside" (
  "tableName" text not null,
  "rowId" text not null,
  reason text not null,
  "row" text not null,
  at bigint not null,
  constraint set_aside_key PRIMARY KEY ("tableName", "rowId")
);

create table "Suspension" (
  id text not null,
  "sessionId" text not null,
  "runId" text not null,
  kind text not null,
  request json not null,
  fingerprint text,
  status text not null,
  answer json,
  "answeredBy" text,
  "createdAt" bigint not null,
  "expiresAt" bigint,
  "closedAt" bigint,
  constraint "Suspension_kind_check" CHECK ((kind = ANY (ARRAY['permission'::text, 'question'::text, 'tool_result'::text, 'event'::text, 'rate_limit'::text, 'budget'::text, 'shutdown'::text, 'elicitation'::text, 'login'::text]))),
  constraint "Suspension_status_check" CHECK ((status = ANY (ARRAY['open'::text, 'answered'::text, 'withdrawn'::text, 'expired'::text, 'released'::text]))),
  constraint suspension_key PRIMARY KEY (id),
  constraint suspension_run FOREIGN KEY ("runId") REFERENCES "Run"(id) ON DELETE CASCADE,
  constraint suspension_session FOREIGN KEY ("sessionId") REFERENCES "AgentSession"(id) ON DELETE CASCADE
);
CREATE INDEX suspension_by_run ON public."Suspension" USING btree ("runId");
CREATE INDEX suspension_by_session ON public."Suspension" USING btree ("sessionId", "createdAt");
CREATE INDEX suspension_open ON public."Suspension" USING btree ("createdAt") WHERE (status = 'open'::text);

CREATE OR REPLACE FUNCTION public.count_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op <> 'INSERT' and old."setAside" = 0 then
        insert into "SessionTally" ("repoId", "status", "count") values (coalesce(old."repoId", ''), old."status", -1);
      end if;
      if tg_op <> 'DELETE' and new."setAside" = 0 then
        insert into "SessionTally" ("repoId", "status", "count") values (coalesce(new."repoId", ''), new."status", 1);
      end if;
      return null;
    end $function$;
