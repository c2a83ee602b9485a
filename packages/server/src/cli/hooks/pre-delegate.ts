import type { JsonObject } from "../../domain/json.ts";
import { judgeResume, type ResumeProbes } from "../../runtime/requests/judge-resume.ts";
import type { SessionRecord, Store } from "../../storage/store.ts";
import { nameOf } from "../gaia/to-state.ts";
import { serveSettings, type ServeSettings } from "../settings/settings.ts";
import { parseDelegation, type Delegation } from "./delegation.ts";
import { reasonOfDecision, reasonOfFailure, type GaiaReason } from "./gaia-reason.ts";
import { commandLine, hookProgram } from "./hook-command.ts";
import { openHookStore } from "./hook-store.ts";
import { findResumable, type Judgement, type ResumeWish } from "./resumable-session.ts";
import {
  runHook,
  type Hook,
  type HookAnswer,
  type HookOptions,
  type HookPlace,
} from "./run-hook.ts";

/** Before an agent is given work: is there a session that it should go on with? Always 0. */
export function preDelegate(options: HookOptions): Promise<number> {
  return runHook(PRE_DELEGATE, options);
}

export const PRE_DELEGATE: Hook = {
  name: "pre-delegate",
  answer: async (input, place) => {
    const delegation = parseDelegation(input);
    const decided = await decide(delegation, place);
    const gaiaReason = reasonOfDecision({
      shouldResume: decided.session !== null,
      agentId: decided.agentId,
    });
    const answer = toAnswer(decided, { delegation, input, gaiaReason });
    if (decided.session === null) return answer;
    const known = await knownOf(decided.session, { delegation, place });
    return { ...answer, output: { ...answer.output, ...known } };
  },
  failed: ({ reason, error }, input) => {
    const delegation = input === null ? null : parseDelegation(input);
    const agentId = delegation?.form === "plain" ? delegation.agentId : null;
    const failure: Decided = { reason, agentId, session: null };
    const gaiaReason = reasonOfFailure(reason);
    const answer = toAnswer(failure, { delegation, input, gaiaReason });
    return { ...answer, output: { ...answer.output, error } };
  },
};

interface Decided {
  readonly reason: string;
  /** What was asked about, or found. */
  readonly agentId: string | null;
  /** To be resumed; null when none is. */
  readonly session: SessionRecord | null;
}

async function decide(delegation: Delegation, place: HookPlace): Promise<Decided> {
  const nothing = (reason: string, agentId: string | null = null): Decided => ({
    reason,
    agentId,
    session: null,
  });
  if (delegation.form === "other") return nothing("not_a_delegation");
  const asked = delegation.form === "plain" ? delegation.agentId : null;
  if (asked === null && delegation.agentName === null) return nothing("no_agent_named");
  const settings = hookSettings(place);
  const store = await openHookStore(settings, place);
  if (store === null)
    return asked === null ? nothing("no_session") : nothing("session_not_found", asked);
  try {
    const judgement = await judgementOf(settings, place);
    if (asked !== null) return await decideNamed(store, asked, judgement);
    return (await findSubagent(store, delegation, judgement)) ?? nothing("no_session");
  } finally {
    await store.close();
  }
}

async function decideNamed(store: Store, name: string, judgement: Judgement): Promise<Decided> {
  const sessionId = (await store.findSession(name)) ?? name;
  const { shouldResume, reason } = await judgeResume(store, { sessionId, ...judgement });
  if (!shouldResume) return { reason, agentId: name, session: null };
  const read = await store.readSession(sessionId);
  // Deleted since it was judged.
  if (read.found !== "session")
    return { reason: "session_not_found", agentId: name, session: null };
  return { reason, agentId: name, session: read.record };
}

/** A subagent that is started again has a session by its own id; any other goes by its name. */
async function findSubagent(
  store: Store,
  delegation: Exclude<Delegation, { form: "other" }>,
  judgement: Judgement,
): Promise<Decided | null> {
  if (delegation.form === "SubagentStart" && delegation.subagentId !== null) {
    const own = await decideNamed(store, delegation.subagentId, judgement);
    if (own.session !== null) return own;
  }
  if (delegation.agentName === null) return null;
  const wish: ResumeWish =
    delegation.form === "plain"
      ? { ...delegation, agentName: delegation.agentName, folder: null }
      : { ...delegation, purpose: null, taskId: undefined };
  const session = await findResumable(store, wish, judgement);
  if (session === null) return null;
  return { reason: "session_resumable", agentId: nameOf(session), session };
}

/** Of the environment only what says where the data is: nothing else may stop a hook. */
function hookSettings({ flags, env }: HookPlace): ServeSettings {
  const { HOLDFAST_DATA, HOLDFAST_DATABASE_URL, XDG_DATA_HOME } = env;
  return serveSettings(flags, { HOLDFAST_DATA, HOLDFAST_DATABASE_URL, XDG_DATA_HOME });
}

async function judgementOf(settings: ServeSettings, { clock }: HookPlace): Promise<Judgement> {
  const { resume: policy } = settings;
  return { now: clock(), policy, probes: await probesFor(settings, clock) };
}

/** What is not asked for is not looked at. */
async function probesFor(settings: ServeSettings, clock: () => number): Promise<ResumeProbes> {
  if (settings.resume.require.length === 0) return {};
  const { catalogOf } = await import("../catalog.ts");
  const { createResumeProbes } = await import("../../runtime/requests/resume-probes.ts");
  return createResumeProbes(catalogOf(settings), { clock });
}

function toAnswer(
  { reason, agentId, session }: Decided,
  {
    delegation,
    input,
    gaiaReason,
  }: {
    readonly delegation: Delegation | null;
    readonly input: JsonObject | null;
    readonly gaiaReason: GaiaReason;
  },
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

/** What is known of the session that was found. Loaded only then: most calls find none. */
async function knownOf(
  session: SessionRecord,
  { delegation, place }: { readonly delegation: Delegation; readonly place: HookPlace },
): Promise<Readonly<Record<string, unknown>>> {
  const { resumeContext, resumeMetadata } = await import("./resume-details.ts");
  switch (delegation.form) {
    case "plain":
      return { resume_metadata: resumeMetadata(session) };
    case "PreToolUse":
    case "SubagentStart": {
      // Only added to what is known: it says nothing of permissions, so that it can neither block nor allow.
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
