import type { AgentTokens } from "../../http/guard/agent-token.ts";
import type { ToolServer } from "../../providers/provider.ts";
import { nearby } from "../nearby.ts";
import { PROGRAM_FILE } from "../version.ts";

/** Where a session's tools reach it, and what lets them in. */
export const URL_VARIABLE = "HOLDFAST_AGENT_URL";
export const TOKEN_VARIABLE = "HOLDFAST_AGENT_TOKEN";

export interface AgentTools {
  /** Waits until the API listens; nothing when it never will. */
  readonly toolsFor: (sessionId: string) => Promise<readonly ToolServer[]>;
  /** Says where the API listens, or that it does not. The first word counts. */
  reachableAt(url: string | null): void;
}

export interface AgentToolsOptions {
  /** What agents start; the installed program unless told. */
  readonly command?: Pick<ToolServer, "command" | "args">;
}

/** Agents start before the address is known: they wait for it, rather than go without tools. */
export function openAgentTools(
  tokens: AgentTokens,
  { command = PROGRAM }: AgentToolsOptions = {},
): AgentTools {
  const address = Promise.withResolvers<string | null>();
  return {
    reachableAt: address.resolve,
    toolsFor: async (sessionId) => {
      const url = await address.promise;
      if (url === null) return [];
      const env = {
        [URL_VARIABLE]: `${nearby(url)}/api/agent/sessions/${encodeURIComponent(sessionId)}`,
        [TOKEN_VARIABLE]: tokens.of(sessionId),
        // They speak with this machine only, where no proxy has to be asked.
        NODE_USE_ENV_PROXY: "0",
      };
      return [{ name: "holdfast", ...command, env }];
    },
  };
}

const PROGRAM = {
  command: process.execPath,
  args: [PROGRAM_FILE, "mcp"],
};
