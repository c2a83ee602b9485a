import type {
  CreateSessionRequest,
  CreateTokenRequest,
  ListSessionsQuery,
  OptionValues,
  ShouldResumeQuery,
  UpdateSessionRequest,
} from "@holdfast/protocol";
import { cleanJson } from "../../domain/clean-text.ts";
import { defined } from "../../domain/defined.ts";
import { runSettingsOf, type RunSettings } from "../../domain/settings/agent-settings.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import { completeMcpServers, type Connections } from "../../domain/mcp-server.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { ResumePolicy } from "../../domain/should-resume.ts";
import { STATUS_RULES, STATUSES } from "../../domain/status.ts";
import type {
  CreateSession,
  ListSessions,
  RunPosition,
  UpdateSession,
} from "../../runtime/runtime.ts";
import type { CreateToken } from "../../runtime/tokens/access-tokens.ts";
import { InvalidRequest } from "../problems/invalid-request.ts";

const LISTED = STATUSES.filter((status) => STATUS_RULES[status].listed);

export interface WireContent {
  readonly text?: string | undefined;
  readonly content?:
    | readonly { readonly type: string; readonly [key: string]: unknown }[]
    | undefined;
}

const DAY_MS = 24 * 60 * 60_000;

export function fromWireCreateToken(request: CreateTokenRequest): CreateToken {
  const { name, scope, sessionId = null, expiresInDays } = request;
  const expiresInMs = expiresInDays === undefined ? null : expiresInDays * DAY_MS;
  return { name, scope, sessionId, expiresInMs };
}

export function fromWireCreate(body: CreateSessionRequest): Omit<CreateSession, "idempotency"> {
  const message = typeof body.message === "string" ? { text: body.message } : body.message;
  return {
    agentId: body.agentId ?? null,
    repoId: body.repoId ?? null,
    title: body.title ?? null,
    provider: body.provider ?? null,
    model: body.model ?? null,
    agentName: body.agentName ?? null,
    purpose: body.purpose ?? null,
    metadata: fromWireJsonObject(body.metadata ?? {}),
    ...defined({ settings: fromWireSettings(body) }),
    ...defined({ workspace: fromWireWorkspace(body) }),
    message: message === undefined ? null : fromWireContent(message),
    ...fromWireConnections(body),
  };
}

/** A base alone asks for a worktree. */
function fromWireWorkspace({
  workspace,
  base = null,
}: CreateSessionRequest): CreateSession["workspace"] {
  const kind = workspace ?? (base === null ? null : "worktree");
  return kind === null ? undefined : { kind, base };
}

export function fromWireQuery(query: ListSessionsQuery): ListSessions {
  const position = query.cursor === undefined ? null : fromCursor(query.cursor);
  return defined({
    statuses: query.status ?? LISTED,
    limit: query.limit,
    repoId: query.repoId,
    states: query.state,
    outcomes: query.outcome,
    phase: query.phase,
    agentName: query.agent,
    provider: query.provider,
    search: query.q,
    from: fromWireTime(query.from),
    to: fromWireTime(query.to),
    ...(position === null ? { offset: query.offset } : { after: position }),
    order: query.order,
  });
}

export function fromWireUpdate(
  body: UpdateSessionRequest,
): Pick<UpdateSession, "changes" | "phase" | "error" | "settings"> {
  const { title, metadata, phase, error, resetErrors, delivery, provider, model } = body;
  const { mode, options } = body;
  const settings = defined({ mode, options });
  return {
    changes: {
      ...defined({ title, delivery, provider, model }),
      ...fromWireConnections(body),
      ...(metadata !== undefined && { metadata: fromWireJsonObject(metadata) }),
      ...(resetErrors === true && { errorCount: 0 }),
    },
    ...defined({ phase, error }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/** Undefined if the request chooses nothing. */
export function fromWireSettings({
  mode,
  options,
}: {
  readonly mode?: string | null | undefined;
  readonly options?: OptionValues | undefined;
}): RunSettings | undefined {
  return runSettingsOf({ mode: mode ?? null, options: options ?? {} });
}

function fromWireConnections({
  mcpServers,
  directories,
}: Pick<UpdateSessionRequest, "mcpServers" | "directories">): Partial<Connections> {
  return {
    ...(mcpServers !== undefined && { mcpServers: completeMcpServers(mcpServers) }),
    ...defined({ directories }),
  };
}

/** A message is stored as a text, or as parts that the agent gets one by one. */
export function fromWireContent({ text, content }: WireContent): MessageContent {
  if (content === undefined) return { type: "text", text: text ?? "" };
  const parts = content.map(fromWireJsonObject);
  const [first] = parts;
  return parts.length === 1 && first !== undefined && isTextAlone(first)
    ? { type: "text", text: first.text }
    : { type: "parts", parts };
}

function isTextAlone(part: JsonObject): part is { readonly type: "text"; readonly text: string } {
  return (
    part["type"] === "text" && typeof part["text"] === "string" && Object.keys(part).length === 2
  );
}

/** Bodies are already clean JSON; this tells the compiler. */
export function fromWireJson(value: unknown): Json {
  const cleaned = cleanJson(value);
  if (!cleaned.ok) throw new Error("unreachable: a body that is not JSON");
  return cleaned.value;
}

function fromWireJsonObject(value: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, fromWireJson(child)]),
  );
}

export function fromWireTime(text: string): number;
export function fromWireTime(text: string | undefined): number | undefined;
export function fromWireTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** The position in a list that is sorted by time. Clients treat it as opaque. */
export function toCursor(at: number, id: string): string {
  return Buffer.from(`${at} ${id}`).toString("base64url");
}

export function fromCursor(cursor: string): RunPosition {
  const match = /^(\d{1,15}) (\S+)$/u.exec(Buffer.from(cursor, "base64url").toString());
  const [, at, id] = match ?? [];
  if (at === undefined || id === undefined) {
    throw new InvalidRequest([{ field: "cursor", message: "must be a nextCursor of this list" }]);
  }
  return { at: Number(at), id };
}

export function fromWireResumeQuery({
  timeoutMinutes,
  maxErrors,
  require,
}: ShouldResumeQuery): Partial<ResumePolicy> {
  const inactiveMs = timeoutMinutes === undefined ? undefined : timeoutMinutes * 60_000;
  return defined({ inactiveMs, maxErrors, require });
}
