import type { AgentTokens } from "../../http/guard/agent-token.ts";
import type { ToolServer } from "../../providers/provider.ts";
import { localUrl } from "../settings/data-folder.ts";
import { PROGRAM_FILE } from "../version.ts";
import { TOKEN_VARIABLE, URL_VARIABLE } from "./tool-variables.ts";

export interface AgentTools {
  /** Waits until the API listens; empty when it never will. */
  readonly toolsFor: (sessionId: string) => Promise<readonly ToolServer[]>;
  /** Sets the address of the API; null when it does not listen. Only the first call counts. */
  reachableAt(url: string | null): void;
}

export interface AgentToolsOptions {
  /** The program that agents start (default: the installed one). */
  readonly command?: Pick<ToolServer, "command" | "args">;
}

/** Agents may start before the API listens: they wait for its address instead of starting without tools. */
export function openAgentTools(
  tokens: AgentTokens,
  { command = PROGRAM }: AgentToolsOptions = {},
): AgentTools {
  const listening = Promise.withResolvers<string | null>();
  return {
    reachableAt: listening.resolve,
    toolsFor: async (sessionId) => {
      const url = await listening.promise;
      if (url === null) return [];
      const api = `${localUrl(url)}/api/agent/sessions/${encodeURIComponent(sessionId)}`;
      const token = tokens.of(sessionId);
      const env = {
        [URL_VARIABLE]: api,
        [TOKEN_VARIABLE]: token,
        // They connect to this machine only, which needs no proxy.
        NODE_USE_ENV_PROXY: "0",
      };
      const address = { url: `${api}/mcp`, headers: { Authorization: `Bearer ${token}` } };
      return [{ name: "holdfast", ...command, env, apiVariable: URL_VARIABLE, address }];
    },
  };
}

const PROGRAM = {
  command: process.execPath,
  args: [PROGRAM_FILE, "mcp"],
};
