import { variablesOf, type Connections, type McpServer } from "../../domain/mcp-server.ts";
import { secretsOfInherited, secretsOfUrl } from "../../providers/secrets/secret-values.ts";
import type { RuntimeContext } from "../context.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";

type Checks = Pick<RuntimeContext, "openDirectory" | "mcpVariables">;

/**
 * Refuses MCP servers that contain a secret or use a variable without permission, and directories outside the workspace
 * root. The reply has the real paths of the directories.
 */
export async function checkConnections(
  context: Checks,
  { mcpServers = {}, directories }: Partial<Connections>,
): Promise<Reply<{ readonly directories: readonly string[] | undefined }>> {
  for (const [name, server] of Object.entries(mcpServers)) {
    const refused = refuseServer(`mcpServers.${name}`, server, context.mcpVariables);
    if (refused !== null) return refused;
  }
  if (directories === undefined) return { ok: true, directories };
  const real = new Set<string>();
  for (const directory of directories) {
    const opened = await context.openDirectory(directory);
    if (!opened.ok) return opened;
    await opened.workspace.close();
    real.add(opened.workspace.path);
  }
  return { ok: true, directories: [...real] };
}

/** Literal values are stored and shown, so a secret must come from a variable of the server. */
function refuseServer(
  where: string,
  server: McpServer,
  allowed: readonly string[],
): Refused | null {
  const forbidden = variablesOf(server).find((name) => !allowed.includes(name));
  if (forbidden !== undefined) {
    return refuse(
      "mcp_server_invalid",
      `${where}: sessions must not use the variable ${forbidden}. The operator can allow it with "mcpVariables" in the config file.`,
    );
  }
  const secret = secretIn(server);
  if (secret === null) return null;
  const table = server.type === "stdio" ? "envFrom" : "headersFrom";
  return refuse(
    "mcp_server_invalid",
    `${where}.${secret} looks like a secret and would be stored. Put it into a variable of the server and name that in ${table}.`,
  );
}

/** The field that looks like a secret; null if none does. */
function secretIn(server: McpServer): string | null {
  if (server.type === "stdio") {
    const argument = server.args.findIndex(
      (text) => SECRET_OPTION.test(text) || secretsOfInherited({ argument: text }).length > 0,
    );
    return argument === -1 ? secretNameIn(server.env, "env") : `args.${argument}`;
  }
  const { username, password, searchParams } = new URL(server.url);
  const hasPassword = username !== "" || password !== "" || secretsOfUrl(server.url).length > 0;
  const hasSecretQuery = [...searchParams].some(([name, value]) => isSecret(name, value));
  return hasPassword || hasSecretQuery ? "url" : secretNameIn(server.headers, "headers");
}

/** Such as `--api-key=…`. */
const SECRET_OPTION = /^--?[\w-]*(?:key|token|secret|passw)[\w-]*=./iu;

function secretNameIn(texts: Readonly<Record<string, string>>, table: string): string | null {
  const found = Object.entries(texts).find(([name, value]) => isSecret(name, value));
  return found === undefined ? null : `${table}.${found[0]}`;
}

/** By its name, however short the value is, or by its value. */
function isSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || secretsOfInherited({ [name]: value }).length > 0;
}

const SECRET_NAME = /auth|token|secret|passw|credential|cookie|api[-_]?key|access[-_]?key/iu;
