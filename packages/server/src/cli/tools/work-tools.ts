import {
  agentWorkReplySchema,
  agentWorkToolsSchema,
  WORK_TOOLS,
  type WorkTool,
} from "@holdfast/protocol";
import type { McpServer } from "@modelcontextprotocol/server";
import type { AgentApi } from "./agent-api.ts";
import { toResult } from "./tool-result.ts";

const TEXTS: Readonly<Record<WorkTool, { readonly title: string; readonly description: string }>> =
  {
    commit_changes: {
      title: "Commit all changes",
      description:
        "Commit all files that Git does not ignore, on the current branch. The hooks of the repository run.",
    },
    rebase_branch: {
      title: "Rebase the branch",
      description:
        "Rebase the branch of this session. Conflicts are reported, and nothing changes.",
    },
    merge_branch: {
      title: "Merge the branch",
      description:
        "Merge the branch of this session into another one. Conflicts are reported, and nothing changes.",
    },
    push_branch: {
      title: "Push the branch",
      description: "Push the branch of this session to the configured remote repository.",
    },
    open_pull_request: {
      title: "Open a pull request",
      description: "Push the branch of this session and open a pull request for it.",
    },
  };

/** Hooks of the repository may run tests. */
const TIMEOUT_MS = 10 * 60_000;

const ASKS =
  "A person may have to allow it. Then end your turn, and call the tool again when the next prompt says that it is allowed.";

/** The tools of the session's agents to keep their work; none if the server cannot be asked. */
export async function workToolsOf(api: AgentApi): Promise<readonly WorkTool[]> {
  const reply = await api.get("work", {});
  return reply.ok ? agentWorkToolsSchema.parse(reply.body).tools : [];
}

/** Adds the tools with which an agent keeps its work. The permission policy decides about each call. */
export function addWorkTools(server: McpServer, api: AgentApi, tools: readonly WorkTool[]): void {
  for (const tool of tools) {
    const { title, description } = TEXTS[tool];
    server.registerTool(
      tool,
      {
        title,
        description: `${description} ${ASKS}`,
        inputSchema: WORK_TOOLS[tool],
        annotations: { readOnlyHint: false, openWorldHint: true },
      },
      async (given: Readonly<Record<string, unknown>>) =>
        toResult(
          await api.post("work", { ...given, tool }, TIMEOUT_MS),
          (body) => agentWorkReplySchema.parse(body).text,
        ),
    );
  }
}
