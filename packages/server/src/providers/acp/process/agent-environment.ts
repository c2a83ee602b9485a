import { secretsOfInherited, secretsOfOwn } from "../../secrets/secret-values.ts";
import type { AcpDefinition } from "../definition.ts";

/** Every process of an agent inherits this variable, so it is found even if it left the process group. */
export const MARKER_VARIABLE = "HOLDFAST_AGENT";

/** Identifies the agent of a process. */
export interface Marker {
  /** Identifies the server. It is the same after a restart, and differs between servers on one machine. */
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

type ServerEnvironment = Readonly<Record<string, string | undefined>>;
type Variables = Pick<AcpDefinition, "env" | "passes">;

/**
 * The whole environment of an agent: common variables and those of its provider. Variables of the server or of other
 * providers have broken agents, and could contain keys.
 */
export function agentEnvironment(
  server: ServerEnvironment,
  { env, passes }: Variables,
  marker: Marker,
  folder: string,
): Record<string, string> {
  const { [MARKER_VARIABLE]: _marker, ...own } = env;
  const passed = Object.entries(server).flatMap(([name, value]) =>
    value !== undefined && mayPass(name, passes) ? [[name, value]] : [],
  );
  return {
    // First, so that a search of many variables finds it at once.
    [MARKER_VARIABLE]: writeMarker(marker),
    ...Object.fromEntries(passed),
    PWD: folder,
    ...own,
  };
}

/** The provider's own variables, which no other agent gets. */
export function ownVariables(
  server: ServerEnvironment,
  { env, passes }: Variables,
): Record<string, string> {
  const passed = passes.flatMap((name) => {
    const value = server[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...env };
}

/** The secrets in the environment of an agent. */
export function secretsOf(
  server: ServerEnvironment,
  { env, passes }: Variables,
): readonly string[] {
  const own = Object.entries(env).filter(([name]) => name !== MARKER_VARIABLE);
  const passed = Object.entries(server).filter(([name]) => mayPass(name, passes));
  return [
    ...secretsOfOwn(Object.fromEntries(own)),
    ...secretsOfInherited(Object.fromEntries(passed)),
  ];
}

function mayPass(name: string, passes: readonly string[]): boolean {
  if (name.startsWith("HOLDFAST_")) return false;
  return (
    COMMON.has(name) || name.startsWith("LC_") || name.startsWith("XDG_") || passes.includes(name)
  );
}

const COMMON: ReadonlySet<string> = new Set([
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
