import type { Command } from "../../domain/kernel/command.ts";
import type { CurrentRun } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import type { AgentReport } from "../../providers/provider.ts";
import type { Store } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { carriedAnswer } from "./permission-answer.ts";
import { permissionSubject } from "./permission-subject.ts";
import { policyAnswer } from "./policy-answer.ts";

interface PermissionQuestion {
  /** The ID of the new suspension. */
  readonly id: string;
  readonly sessionId: string;
  readonly run: CurrentRun;
  readonly report: Extract<AgentReport, { report: "permission" }>;
}

/**
 * The commands that ask a question, together with its answer if no person is needed. The policy is applied at the commit,
 * so that a change of phase or grants just before it counts.
 */
export async function permissionQuestion(
  context: RuntimeContext,
  { id, sessionId, run, report }: PermissionQuestion,
): Promise<(session: Session | null) => readonly Command[]> {
  const { store, permissions: configured } = context;
  const { request, fingerprint } = report;
  // Only an earlier process of the run can have asked the same.
  const earlier = run.attempts === 0 ? [] : await store.readSuspensions(sessionId);
  const carried = carriedAnswer(earlier, { runId: run.id, fingerprint, request });
  const folder = await folderOf(store, sessionId);
  const subject = await permissionSubject(request, { fingerprint, folder });
  const at = context.clock();
  const { permissionMs } = context.limits;
  const expiresAt = permissionMs === null ? null : at + permissionMs;
  const suspend: Command = {
    type: "suspend-run",
    at,
    runId: run.id,
    suspension: { id, kind: "permission", request, fingerprint, createdAt: at, expiresAt },
  };
  return (session) => {
    const decided = session === null ? null : policyAnswer(session, subject, request, configured);
    // A policy that denies now overrules an earlier answer.
    const reply = decided?.decision === "deny" ? decided : (carried ?? decided);
    if (reply === null) return [suspend];
    const answer = "optionId" in reply ? { optionId: reply.optionId } : reply.answer;
    return [suspend, { type: "answer", at, suspensionId: id, answer, by: reply.by }];
  };
}

/** The folder that the session's agents work in. */
export async function folderOf(store: Store, sessionId: string): Promise<string | null> {
  const loaded = await store.load(sessionId);
  if (loaded.found !== "session") return null;
  const { repoId, workspace } = loaded.stored.session;
  if (workspace.worktree !== null) return workspace.worktree.folder;
  return repoId === null ? null : ((await store.readRepo(repoId))?.path ?? null);
}
