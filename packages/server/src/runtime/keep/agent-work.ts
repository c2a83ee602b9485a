import { createTurns } from "../../git/turns.ts";
import { canonicalJson, type JsonObject } from "../../domain/json.ts";
import type { RuntimeContext } from "../context.ts";
import { permitOwnTool, type OwnToolCall } from "../permissions/own-tool.ts";
import { refuse, type Reply } from "../reply.ts";
import { withSession } from "../session-snapshot.ts";
import type { WorkTool } from "./keep-settings.ts";
import { createSessionKeeping, type KeepOptions, type SessionKeeping } from "./session-keeping.ts";

/** A call of a tool, with its arguments. */
export type WorkCall =
  | { readonly tool: "commit_changes"; readonly message: string | null }
  | { readonly tool: "rebase_branch"; readonly onto: string | null }
  | { readonly tool: "merge_branch"; readonly into: string | null }
  | { readonly tool: "push_branch" }
  | {
      readonly tool: "open_pull_request";
      readonly title: string | null;
      readonly body: string | null;
    };

/** The tools with which agents keep their work, under the permission policy. */
export interface AgentWork {
  tools(sessionId: string): Promise<Reply<{ readonly tools: readonly WorkTool[] }>>;
  use(
    sessionId: string,
    call: WorkCall,
  ): Promise<Reply<{ readonly isDone: boolean; readonly text: string }>>;
}

const WAITING =
  "A person has to allow this, and has been asked. End your turn now. The answer comes with the next prompt, which may " +
  "be much later: if it is allowed, call the tool again with the same arguments.";

export function createAgentWork(
  context: RuntimeContext,
  options: KeepOptions | undefined,
): AgentWork {
  const { store } = context;
  const inTurn = createTurns();
  const work =
    options === undefined ? null : createSessionKeeping(context, options, { during: "run" });

  const tools: AgentWork["tools"] = (sessionId) =>
    withSession(store, sessionId, async ({ repoId }) => {
      const repo = repoId === null ? null : await store.readRepo(repoId);
      return { tools: repo === null ? [] : (options?.settingsOf(repo).agentTools ?? []) };
    });

  return {
    tools,
    use: (sessionId, call) =>
      inTurn(sessionId, async () => {
        const given = await tools(sessionId);
        if (!given.ok) return given;
        if (work === null || !given.tools.includes(call.tool))
          return refuse(
            "tool_not_given",
            `Agents of this session do not have the tool ${call.tool}. The operator can give it with "agentTools" in "worktrees" of the config file.`,
          );
        const permitted = await permitOwnTool(context, { sessionId, ...aboutCall(call) });
        if (!permitted.ok) return permitted;
        if (permitted.permission === "waiting") return { ok: true, isDone: false, text: WAITING };
        const done = await carryOut(work, sessionId, call);
        return done.ok ? { ok: true, isDone: true, text: done.text } : done;
      }),
  };
}

/** How a call is shown to a person, and to which calls the answer applies. */
function aboutCall(call: WorkCall): Omit<OwnToolCall, "sessionId"> {
  const { tool, ...fields } = call;
  const given = Object.entries<string | null>(fields).filter(([, value]) => value !== null);
  const input: JsonObject = Object.fromEntries(given);
  // The text of a commit may differ from one call to the next.
  const of = tool === "commit_changes" ? "" : canonicalJson(input);
  return { tool, title: titleOf(call), input, fingerprint: `holdfast ${tool} ${of}` };
}

function titleOf(call: WorkCall): string {
  switch (call.tool) {
    case "commit_changes":
      return "Commit all changes";
    case "rebase_branch":
      return `Rebase the branch of this session onto ${call.onto ?? "the branch for merges"}`;
    case "merge_branch":
      return `Merge the branch of this session into ${call.into ?? "the branch for merges"}`;
    case "push_branch":
      return "Push the branch of this session";
    case "open_pull_request":
      return "Open a pull request";
    default:
      return call satisfies never;
  }
}

async function carryOut(
  work: SessionKeeping,
  sessionId: string,
  call: WorkCall,
): Promise<Reply<{ readonly text: string }>> {
  switch (call.tool) {
    case "commit_changes": {
      const done = await work.commit({ sessionId, message: call.message });
      return done.ok ? said(`Committed ${files(done.files)} as ${done.commit}.`) : done;
    }
    case "rebase_branch": {
      const done = await work.rebase({ sessionId, onto: call.onto });
      return done.ok ? said(`Rebased onto ${done.onto}; the branch is at ${done.commit}.`) : done;
    }
    case "merge_branch": {
      const done = await work.merge({ sessionId, into: call.into });
      if (!done.ok) return done;
      return said(
        done.how === "nothing"
          ? `${done.into} has all commits already.`
          : `Merged into ${done.into}, which is at ${done.commit}.`,
      );
    }
    case "push_branch": {
      const done = await work.push(sessionId);
      return done.ok ? said(`Pushed ${done.branch} at ${done.commit}.`) : done;
    }
    case "open_pull_request": {
      const { title, body } = call;
      const done = await work.openPullRequest({ sessionId, title, body });
      return done.ok ? said(`Opened ${done.url}`) : done;
    }
    default:
      return call satisfies never;
  }
}

function said(text: string): { readonly ok: true; readonly text: string } {
  return { ok: true, text };
}

function files(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}
