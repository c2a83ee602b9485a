import type { ToolServer } from "../provider.ts";

/** The addresses of our API that the tools of an agent call. */
export function apisOf(toolServers: readonly ToolServer[]): readonly URL[] {
  return toolServers.flatMap((server) => apiOf(server)?.url ?? []);
}

/** The tool server with the address at which it finds our API in a sandbox. */
export function insideOf(server: ToolServer, inside: (url: URL) => string): ToolServer {
  const api = apiOf(server);
  if (api === null) return server;
  const { env, address } = server;
  return {
    ...server,
    env: { ...env, [api.variable]: inside(api.url) },
    ...(address !== undefined && { address: { ...address, url: inside(new URL(address.url)) } }),
  };
}

function apiOf({ apiVariable: variable, env }: ToolServer) {
  const url = variable === undefined ? null : URL.parse(env[variable] ?? "");
  return variable === undefined || url === null ? null : { variable, url };
}
