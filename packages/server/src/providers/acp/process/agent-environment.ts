import type { AcpDefinition } from "../definition.ts";

/** The variable every process of an agent inherits, and by which it is found when it has escaped everything else. */
export const MARKER_VARIABLE = "HOLDFAST_AGENT";

/** Which agent a process belongs to. */
export interface Marker {
  /** The server, the same after a restart, and another for another server on this machine. */
  readonly owner: string;
  readonly agent: string;
}

export function writeMarker({ owner, agent }: Marker): string {
  return `${owner}:${agent}`;
}

export function readMarker(value: string): Marker | null {
  const at = value.lastIndexOf(":");
  return at === -1 ? null : { owner: value.slice(0, at), agent: value.slice(at + 1) };
}

/**
 * The whole environment of an agent: what every program needs, what this provider may see, and nothing else. Variables
 * meant for the server or for another provider have broken agents, and would give away their keys.
 */
export function agentEnvironment({
  server,
  definition,
  marker,
  folder,
}: {
  readonly server: Readonly<Record<string, string | undefined>>;
  readonly definition: Pick<AcpDefinition, "env" | "passes">;
  readonly marker: Marker;
  readonly folder: string;
}): Record<string, string> {
  const passed = Object.entries(server).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && mayPass(entry[0], definition.passes),
  );
  return {
    // First, so that it is found at once among many variables.
    [MARKER_VARIABLE]: writeMarker(marker),
    ...Object.fromEntries(passed),
    PWD: folder,
    ...withoutMarker(definition.env),
  };
}

/** Values that must not be shown to anybody: what this provider was given apart from what every program gets. */
export function secretsOf(
  server: Readonly<Record<string, string | undefined>>,
  definition: Pick<AcpDefinition, "env" | "passes">,
): readonly string[] {
  const passed = definition.passes.flatMap((name) => server[name] ?? []);
  return [...Object.values(definition.env), ...passed].filter((value) => !SWITCHES.has(value));
}

/** Values of settings that are turned on or off. Taken out of a journal, they would leave little of it. */
const SWITCHES: ReadonlySet<string> = new Set(["true", "false", "approve"]);

function mayPass(name: string, passes: readonly string[]): boolean {
  if (name.startsWith("HOLDFAST_")) return false;
  return (
    ORDINARY.has(name) ||
    ORDINARY_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    passes.includes(name)
  );
}

function withoutMarker(env: AcpDefinition["env"]): Record<string, string> {
  const { [MARKER_VARIABLE]: _marker, ...rest } = env;
  return rest;
}

const ORDINARY_PREFIXES = ["LC_", "XDG_"];

const ORDINARY: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "TMPDIR",
  "TMP",
  "TEMP",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "NODE_USE_ENV_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "NODE_USE_SYSTEM_CA",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
]);
