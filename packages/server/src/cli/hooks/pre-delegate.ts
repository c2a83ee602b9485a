import type { JsonObject } from "../../domain/json.ts";
import { judgeResume, type ResumeProbes } from "../../runtime/requests/judge-resume.ts";
import type { SessionRecord, Store } from "../../storage/store.ts";
import { nameOf } from "../gaia/to-state.ts";
import { serveSettings, type ServeSettings } from "../settings/settings.ts";
import { parseDelegation, type Delegation } from "./delegation.ts";
import { commandLine, hookProgram } from "./hook-command.ts";
import { openHookStore } from "./hook-store.ts";
import { findResumable, type Judgement, type ResumeQuery } from "./resumable-session.ts";
import {
  runHook,
  type Hook,
  type HookAnswer,
  type HookOptions,
  type HookContext,
} from "./run-hook.ts";

/** Says, before work is delegated to an agent, whether to resume a session. Resolves to 0. */
export function preDelegate(options: HookOptions): Promise<number> {
  return runHook(PRE_DELEGATE, options);
}

export const PRE_DELEGATE: Hook = {
  name: "pre-delegate",
  answer: async (input, place) => {
    const delegation = parseDelegation(input);
    const decision = await decide(delegation, place);
    const { session } = decision;
    const answer = toAnswer(decision, delegation, input, reasonOfDecision(decision));
    if (session === null) return answer;
    const details = await detailsOf(session, delegation, place);
    return { ...answer, output: { ...answer.output, ...details } };
  },
  failed: ({ reason, error }, input) => {
    const delegation = input === null ? null : parseDelegation(input);
    const agentId = delegation?.form === "plain" ? delegation.agentId : null;
    const failure: Decision = { reason, agentId, session: null };
    const answer = toAnswer(failure, delegation, input, reasonOfFailure(reason));
    return { ...answer, output: { ...answer.output, error } };
  },
};

interface Decision {
  readonly reason: string;
  /** The agent ID in the request, or of the session that was found. */
  readonly agentId: string | null;
  /** The session to resume; null when there is none. */
  readonly session: SessionRecord | null;
}

async function decide(delegation: Delegation, place: HookContext): Promise<Decision> {
  const nothing = (reason: string, id: string | null = null): Decision => ({
    reason,
    agentId: id,
    session: null,
  });
  if (delegation.form === "other") return nothing("not_a_delegation");
  const agentId = delegation.form === "plain" ? delegation.agentId : null;
  if (agentId === null && delegation.agentName === null) return nothing("no_agent_named");
  const settings = hookSettings(place);
  const store = await openHookStore(settings, place);
  if (store === null)
    return agentId === null ? nothing("no_session") : nothing("session_not_found", agentId);
  try {
    const { resume: policy } = settings;
    const probes = await probesFor(settings, place.clock);
    const judgement = { now: place.clock(), policy, probes };
    if (agentId !== null) return await decideNamed(store, agentId, judgement);
    return (await findSubagent(store, delegation, judgement)) ?? nothing("no_session");
  } finally {
    await store.close();
  }
}

async function decideNamed(store: Store, name: string, judgement: Judgement): Promise<Decision> {
  const sessionId = (await store.findSession(name)) ?? name;
  const { shouldResume, reason } = await judgeResume(store, { sessionId, ...judgement });
  if (!shouldResume) return { reason, agentId: name, session: null };
  const read = await store.readSession(sessionId);
  // Deleted since the decision.
  if (read.found !== "session")
    return { reason: "session_not_found", agentId: name, session: null };
  return { reason, agentId: name, session: read.record };
}

/** A restarted subagent has a session under its own ID; others are found by the name of the agent. */
async function findSubagent(
  store: Store,
  delegation: Exclude<Delegation, { form: "other" }>,
  judgement: Judgement,
): Promise<Decision | null> {
  if (delegation.form === "SubagentStart" && delegation.subagentId !== null) {
    const own = await decideNamed(store, delegation.subagentId, judgement);
    if (own.session !== null) return own;
  }
  if (delegation.agentName === null) return null;
  const query: ResumeQuery =
    delegation.form === "plain"
      ? { ...delegation, agentName: delegation.agentName, folder: null }
      : { ...delegation, purpose: null, taskId: undefined };
  const session = await findResumable(store, query, judgement);
  if (session === null) return null;
  return { reason: "session_resumable", agentId: nameOf(session), session };
}

/** Reads only the variables that locate the data, so that no other setting can fail a hook. */
function hookSettings({ flags, env }: HookContext): ServeSettings {
  const { HOLDFAST_DATA, HOLDFAST_DATABASE_URL, XDG_DATA_HOME } = env;
  // A hook opens no repository, so a missing workspace root must not fail it either.
  return serveSettings(
    { ...flags, workspaceRoot: "." },
    { HOLDFAST_DATA, HOLDFAST_DATABASE_URL, XDG_DATA_HOME },
  );
}

/** Checks that are not required are not loaded. */
async function probesFor(settings: ServeSettings, clock: () => number): Promise<ResumeProbes> {
  if (settings.resume.require.length === 0) return {};
  const { catalogOf } = await import("../catalog.ts");
  const { createResumeProbes } = await import("../../runtime/requests/resume-probes.ts");
  return createResumeProbes(catalogOf(settings), { clock });
}

function toAnswer(
  { reason, agentId, session }: Decision,
  delegation: Delegation | null,
  input: JsonObject | null,
  gaiaReason: GaiaReason,
): HookAnswer {
  const isPlain = delegation === null || delegation.form === "plain";
  return {
    output: isPlain
      ? {
          should_resume: session !== null,
          reason: gaiaReason,
          detail: reason,
          agent_id: agentId,
          resume_metadata: null,
          original_context: input,
        }
      : { reason },
    log: {
      event: isPlain ? null : eventOf(delegation),
      agentId,
      sessionId: session?.id ?? null,
      decision: session !== null,
      reason,
    },
  };
}

function eventOf(delegation: Exclude<Delegation, { form: "plain" }>): string {
  return delegation.form === "other" ? delegation.event.slice(0, 100) : delegation.form;
}

/** Details of the session that was found. Loaded on demand: most calls find none. */
async function detailsOf(
  session: SessionRecord,
  delegation: Delegation,
  place: HookContext,
): Promise<Readonly<Record<string, unknown>>> {
  const { resumeContext, resumeMetadata } = await import("./resume-details.ts");
  switch (delegation.form) {
    case "plain":
      return { resume_metadata: resumeMetadata(session) };
    case "PreToolUse":
    case "SubagentStart": {
      // Only adds context: without a permission decision it neither blocks nor allows.
      const { form: hookEventName, subagentId } = delegation;
      const program = hookProgram(place.env);
      const additionalContext = resumeContext(session, {
        now: place.clock(),
        subagentId,
        commandOf: (words) => commandLine(program, { words, flags: place.flags }),
      });
      return { hookSpecificOutput: { hookEventName, additionalContext } };
    }
    case "other":
      return {};
    default:
      return delegation satisfies never;
  }
}

/** The reasons of GAIA's own hook; its callers compare with them. */
type GaiaReason =
  | "session_resumable"
  | "session_not_resumable"
  | "no_existing_session"
  | "invalid_json"
  | "error";

/** For GAIA a session without an agent ID does not exist. */
function reasonOfDecision({ session, agentId }: Decision): GaiaReason {
  if (session !== null) return "session_resumable";
  return agentId === null ? "no_existing_session" : "session_not_resumable";
}

function reasonOfFailure(detail: string): GaiaReason {
  return detail === "input_empty" || detail === "input_not_json" ? "invalid_json" : "error";
}
