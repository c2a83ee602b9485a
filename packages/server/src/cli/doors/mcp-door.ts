import { v7 as newKey } from "uuid";
import type { McpEndpoint } from "../../doors/mcp/mcp-endpoint.ts";
import { ORCHESTRATOR } from "../../http/guard/caller.ts";
import type { McpDoor } from "../../http/doors/mcp-door.ts";
import type { LogFile } from "../log-file.ts";
import { VERSION } from "../version.ts";
import { ownApi } from "./own-api.ts";

/** The server's own `/mcp`. Loaded with the first client, because few servers need it at their start. */
export function openMcpDoor({
  address,
  dataFolder,
  logger,
}: {
  /** Of this server; known before the first request. */
  readonly address: () => string;
  readonly dataFolder: string;
  readonly logger: Pick<LogFile["logger"], "warn">;
}): McpDoor {
  let loaded: Promise<Loaded> | null = null;
  const userAgent = `${ORCHESTRATOR}/${VERSION}`;
  return {
    async handle(request, body, from) {
      const { endpoint, createCaller } = await (loaded ??= load(logger));
      const client = ownApi(from, { address: address(), dataFolder, userAgent });
      return endpoint.handle(request, body, {
        key: from.key,
        caller: createCaller(client, newKey),
      });
    },
    close: async () => (await loaded)?.endpoint.close(),
  };
}

interface Loaded {
  readonly endpoint: McpEndpoint;
  readonly createCaller: typeof import("../../doors/mcp/caller.ts").createCaller;
}

async function load(logger: Pick<LogFile["logger"], "warn">): Promise<Loaded> {
  const [{ createMcpEndpoint }, { holdfastSurface }, { createCaller }] = await Promise.all([
    import("../../doors/mcp/mcp-endpoint.ts"),
    import("../../doors/mcp/holdfast-surface.ts"),
    import("../../doors/mcp/caller.ts"),
  ]);
  const endpoint = createMcpEndpoint({
    surface: holdfastSurface,
    version: VERSION,
    log: (text, err) => logger.warn({ err }, `an MCP client: ${text}`),
  });
  return { endpoint, createCaller };
}
