import { NEW_FOLDER } from "../../domain/files/session-folder.ts";
import { parseCounts } from "../../domain/files/working-files.ts";
import { z } from "zod";
import { defined } from "../../domain/defined.ts";
import { CONTINUITY_POLICIES, DELIVERY_POLICIES } from "../../domain/delivery.ts";
import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import {
  currentRole,
  ROLES,
  unfinishedContent,
  type MessageContent,
} from "../../domain/message.ts";
import { firstTurn } from "../../domain/kernel/last-turn.ts";
import { parseDirectories, parseMcpServers } from "../../domain/mcp-server.ts";
import { isFinal, isResumable, PHASE_HISTORY_KEPT, PHASES } from "../../domain/phase.ts";
import { parseKeptSettings, parseRunSettings } from "../../domain/settings/agent-settings.ts";
import { parseResumePoints } from "../../domain/resume-point.ts";
import { RUN_OUTCOMES, RUN_STATUSES, type CurrentRun } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import { STATUSES } from "../../domain/status.ts";
import { CLOSINGS, SUSPENSION_KINDS } from "../../domain/suspension.ts";
import { toMemory, toUnusedAnswers } from "../../storage/rows/run-row.ts";
import type {
  StagedMessage,
  StagedQueueEntry,
  StagedSuspension,
} from "../../storage/ports/import-store.ts";
import type { Run } from "../../storage/store.ts";
import { BUNDLE_VERSION } from "./bundle-lines.ts";
import { BadLine, parseFields } from "./parse-line.ts";

export type BundleRun = Omit<Run, "sessionId" | "filesBefore" | "filesAfter">;

/** The line of the session. Its open suspensions and its queue have lines of their own. */
export interface BundleSession {
  readonly session: Omit<Session, "standing" | "queue" | "repoId">;
  readonly standing: BundleStanding;
  /** The fields of the suspended run that its own line does not have. */
  readonly waitingRun: Pick<CurrentRun, "id" | "continuity" | "handed"> | null;
  readonly lastSeq: number;
  /** Version 0.1 wrote no `lastRun`; it is derived from the lines of the runs. */
  readonly isOfOld: boolean;
}

type BundleStanding = z.infer<ReturnType<typeof buildSchemas>["standing"]>;

/** Built on the first use, so that a server that imports nothing starts as fast as before. */
let schemas: ReturnType<typeof buildSchemas> | null = null;
const lineSchemas = () => (schemas ??= buildSchemas());

/** Identifiers are UUIDs, except in databases of the portal. None may be a path. */
const ID = /^[^\p{Cc}/\\]{1,200}$/u;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u;
const A_TIME = "an ISO 8601 time";

/** Fields with a default, and optional ones, are missing in bundles of version 0.1. */
function buildSchemas() {
  const text = z.string("a string");
  const textOrNull = text.nullable();
  const id = z.string("an id").regex(ID, "an id");
  const count = z.int("a whole number from 0").min(0, "a whole number from 0");
  const flag = z.boolean("true or false");
  const time = z
    .string(A_TIME)
    .regex(TIME, A_TIME)
    .transform((value) => Date.parse(value))
    .pipe(z.number(A_TIME).min(0, A_TIME));
  const timeOrNull = time.nullable();
  const json = z.custom<Json>((value) => value !== undefined);
  const object = z.custom<JsonObject>(isObject, "an object");
  const content = z.custom<MessageContent>(
    (value) => isObject(value) && typeof value["type"] === "string",
    "an object with a type",
  );
  const parsedBy = <Value>(parse: (value: Json) => Value | null, expected: string) =>
    json.transform((value, context) => {
      const parsed = parse(value);
      if (parsed !== null) return parsed;
      context.addIssue({ code: "custom", message: expected });
      return z.NEVER;
    });
  const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
    z.enum(values, `one of ${values.join(", ")}`);
  const record = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
    z.object(shape, "an object");

  const runSettings = json.optional().transform(parseRunSettings);
  const end = record({ lines: count, sha256: text });
  return {
    header: record({ version: count, sessionId: id }),
    standing: z.discriminatedUnion("status", [
      record({ status: z.literal("active") }),
      record({
        status: z.literal("suspended"),
        suspendedAt: timeOrNull.default(null),
        suspendedReason: textOrNull.default(null),
      }),
      record({ status: z.literal("archived"), archivedAt: time }),
      record({ status: z.literal("error"), failure: text, failedAt: time }),
    ]),
    session: record({
      id,
      status: oneOf(STATUSES),
      title: textOrNull,
      delivery: oneOf(DELIVERY_POLICIES),
      provider: textOrNull,
      model: textOrNull,
      agentName: textOrNull,
      purpose: textOrNull,
      agentId: textOrNull.default(null),
      metadata: object,
      mcpServers: parsedBy(parseMcpServers, "MCP servers by name").default({}),
      directories: parsedBy(parseDirectories, "a list of paths").default([]),
      phase: oneOf(PHASES),
      phaseHistory: z
        .array(record({ from: oneOf(PHASES), to: oneOf(PHASES), at: time }), "a list")
        .max(PHASE_HISTORY_KEPT, `a list of at most ${PHASE_HISTORY_KEPT} changes`),
      errorCount: count,
      errorTotal: count.optional(),
      lastError: record({ id: text, text, at: timeOrNull.default(null) }).nullable(),
      lastRun: record({ provider: text, model: textOrNull }).nullable().optional(),
      supportsResume: flag,
      supportsSteering: flag.default(false),
      resumeData: json.transform(parseResumePoints),
      settings: json.default([]).transform(parseKeptSettings),
      forkedFrom: record({ sessionId: id, atMessage: id.nullable() }).nullable(),
      createdAt: time,
      updatedAt: time,
      lastActiveAt: time,
      lastTurn: record({
        at: time,
        outcome: z.enum(RUN_OUTCOMES).nullable(),
        line: textOrNull,
      }).optional(),
      finalizedAt: timeOrNull,
      summary: textOrNull,
      waitingRun: record({ id, continuity: oneOf(CONTINUITY_POLICIES), handed: flag }).nullable(),
      lastSeq: count,
    }),
    repo: record({ path: text }),
    run: record({
      id,
      messageId: id,
      status: oneOf(RUN_STATUSES),
      provider: textOrNull,
      model: textOrNull,
      settings: runSettings,
      attempts: count,
      stopReason: textOrNull,
      error: json,
      usage: object.nullable(),
      memory: json.default(null).transform(toMemory),
      unusedAnswers: json.default([]).transform(toUnusedAnswers),
      changes: json.default(null).transform(parseCounts),
      rewoundAt: timeOrNull.default(null),
      queuedAt: time,
      startedAt: timeOrNull,
      endedAt: timeOrNull,
    }),
    suspension: record({
      id,
      runId: id,
      kind: oneOf(SUSPENSION_KINDS),
      request: object,
      fingerprint: textOrNull,
      status: oneOf(["open", ...CLOSINGS]),
      answer: json,
      answeredBy: textOrNull,
      createdAt: time,
      expiresAt: timeOrNull,
      closedAt: timeOrNull,
    }),
    message: record({
      id,
      runId: id.nullable(),
      seq: count,
      role: oneOf(ROLES),
      content,
      at: time,
    }),
    queued: record({
      messageId: id,
      runId: id,
      provider: textOrNull,
      model: textOrNull,
      settings: runSettings,
      continuity: oneOf(CONTINUITY_POLICIES),
      attempts: count,
      content,
      queuedAt: time,
    }),
    end,
    /** The first version of bundles had no checksum. */
    endOfVersion1: end.partial({ sha256: true }),
  };
}

/** Throws `BadLine` when it is not the header of a bundle that this program can read. */
export function parseHeader(line: JsonObject) {
  if (line["holdfast"] !== "bundle") throw new BadLine("is not the header of a bundle");
  const header = parseFields(lineSchemas().header, line);
  const { version } = header;
  if (version < 1 || version > BUNDLE_VERSION)
    throw new BadLine(
      `is of version ${version}; this program reads versions 1 to ${BUNDLE_VERSION}`,
    );
  return header;
}

export function parseSession(line: JsonObject): BundleSession {
  const fields = parseFields(lineSchemas().session, line);
  const { status, waitingRun, lastSeq, lastRun, lastTurn, errorTotal, ...session } = fields;
  const { phase, finalizedAt, errorCount } = session;
  if (finalizedAt !== null && !isFinal(phase))
    throw new BadLine(`has a finalizedAt, but its phase is ${phase}`);
  if (waitingRun !== null && status !== "active" && status !== "suspended")
    throw new BadLine(`has a waitingRun, but its status is ${status}`);
  return {
    standing: parseFields(lineSchemas().standing, line),
    waitingRun,
    lastSeq,
    isOfOld: lastRun === undefined,
    session: {
      ...session,
      lastRun: lastRun ?? null,
      lastTurn: lastTurn ?? firstTurn(session.lastActiveAt),
      errorTotal: errorTotal ?? errorCount,
      resumeReady: isResumable(phase),
      ...NEW_FOLDER,
    },
  };
}

export function parseRepo(line: JsonObject): { readonly path: string } {
  return parseFields(lineSchemas().repo, line);
}

export function parseRun(line: JsonObject): BundleRun {
  const { settings, ...run } = parseFields(lineSchemas().run, line);
  return { ...run, ...defined({ settings }) };
}

export function parseSuspension(line: JsonObject): StagedSuspension {
  return parseFields(lineSchemas().suspension, line);
}

export function parseMessage(line: JsonObject): StagedMessage {
  const { role, content, ...message } = parseFields(lineSchemas().message, line);
  return {
    ...message,
    role: currentRole(role, content),
    // No agent comes with the bundle to finish a tool call.
    content: unfinishedContent(content),
  };
}

export function parseQueued(line: JsonObject): Omit<StagedQueueEntry, "position"> {
  const { settings, ...queued } = parseFields(lineSchemas().queued, line);
  return { ...queued, ...defined({ settings }) };
}

export function parseEnd(line: JsonObject, version: number) {
  return parseFields(version > 1 ? lineSchemas().end : lineSchemas().endOfVersion1, line);
}
