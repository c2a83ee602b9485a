import type {
  CreateSessionRequest,
  CreateTokenRequest,
  ListSessionsQuery,
  ShouldResumeQuery,
  UpdateSessionRequest,
} from "@holdfast/protocol";
import { cleanJson } from "../../domain/clean-text.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { ResumePolicy } from "../../domain/should-resume.ts";
import { STATUS_RULES, STATUSES } from "../../domain/status.ts";
import type { CreateToken } from "../../runtime/tokens/access-tokens.ts";
import type {
  CreateSession,
  ListSessions,
  RunPosition,
  SessionQuery,
  UpdateSession,
} from "../../runtime/runtime.ts";
import { InvalidRequest } from "../problems/invalid-request.ts";

type ListPosition = NonNullable<SessionQuery["after"]>;

const LISTED = STATUSES.filter((status) => STATUS_RULES[status].listed);

export interface Said {
  readonly text?: string | undefined;
  readonly content?:
    | readonly { readonly type: string; readonly [key: string]: unknown }[]
    | undefined;
}

const DAY_MS = 24 * 60 * 60_000;

export function fromWireCreateToken({
  name,
  scope,
  expiresInDays,
}: CreateTokenRequest): CreateToken {
  return { name, scope, expiresInMs: expiresInDays === undefined ? null : expiresInDays * DAY_MS };
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
    message: message === undefined ? null : fromWireContent(message),
  };
}

export function fromWireQuery(query: ListSessionsQuery): ListSessions {
  const { repoId, status, state, phase, agent, provider, q, from, to, limit, offset, cursor } =
    query;
  return {
    statuses: status ?? LISTED,
    limit,
    ...(repoId !== undefined && { repoId }),
    ...(state !== undefined && { states: state }),
    ...(phase !== undefined && { phase }),
    ...(agent !== undefined && { agentName: agent }),
    ...(provider !== undefined && { provider }),
    ...(q !== undefined && { search: q }),
    ...(from !== undefined && { from: fromWireTime(from) }),
    ...(to !== undefined && { to: fromWireTime(to) }),
    ...(cursor === undefined ? { offset } : { after: fromCursor(cursor) }),
  };
}

export function fromWireUpdate(
  body: UpdateSessionRequest,
): Pick<UpdateSession, "changes" | "phase" | "error"> {
  const { title, metadata, phase, error, resetErrors, delivery, provider, model } = body;
  return {
    changes: {
      ...(title !== undefined && { title }),
      ...(metadata !== undefined && { metadata: fromWireJsonObject(metadata) }),
      ...(delivery !== undefined && { delivery }),
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      ...(resetErrors === true && { errorCount: 0 }),
    },
    ...(phase !== undefined && { phase }),
    ...(error !== undefined && { error }),
  };
}

/** What a user says, as it is stored: text, or several parts, which the agent gets one by one. */
export function fromWireContent({ text, content }: Said): MessageContent {
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

/** Bodies are clean JSON already; this says so to the compiler. */
export function fromWireJson(value: unknown): Json {
  const cleaned = cleanJson(value);
  if (!cleaned.ok) throw new Error("unreachable: a body that is no JSON");
  return cleaned.value;
}

function fromWireJsonObject(value: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, fromWireJson(child)]),
  );
}

export function fromWireTime(text: string): number {
  return Date.parse(text);
}

/** Opaque to clients, who only give it back. */
export function toCursor({ createdAt, id }: ListPosition): string {
  return encoded(createdAt, id);
}

export function toRunCursor({ at, id }: RunPosition): string {
  return encoded(at, id);
}

export function fromRunCursor(cursor: string): RunPosition {
  return decoded(cursor);
}

function fromCursor(cursor: string): ListPosition {
  const { at: createdAt, id } = decoded(cursor);
  return { createdAt, id };
}

function encoded(at: number, id: string): string {
  return Buffer.from(`${at} ${id}`).toString("base64url");
}

function decoded(cursor: string): { readonly at: number; readonly id: string } {
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
  return {
    ...(timeoutMinutes !== undefined && { inactiveMs: timeoutMinutes * 60_000 }),
    ...(maxErrors !== undefined && { maxErrors }),
    ...(require !== undefined && { require }),
  };
}
