import { BUILT_IN } from "../../providers/built-in.ts";
import type { Environment } from "./settings.ts";

/** The environment variables that settings read, except the data folder, which everything else is relative to. */
export const SETTING_VARIABLES: readonly string[] = [
  "HOLDFAST_HOST",
  "HOLDFAST_PORT",
  "HOLDFAST_DATABASE_URL",
  "HOLDFAST_DATABASE_DIRECT_URL",
  "HOLDFAST_NODE_NAME",
  "HOLDFAST_NODE_LABELS",
  "HOLDFAST_LEASE_MS",
  "HOLDFAST_TOKEN",
  "HOLDFAST_AUTH",
  "HOLDFAST_LOG_LEVEL",
  "HOLDFAST_GIT_OWNERS",
  "AGENT_WORKSPACE_ROOT",
  "AGENT_SESSION_IDLE_TIMEOUT",
  "AGENT_MAX_SESSIONS",
  ...BUILT_IN.flatMap(({ pathVariable }) => (pathVariable === null ? [] : [pathVariable])),
];

/** The variables that are set. An empty one counts as not set. */
export function settingsIn(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SETTING_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}

/** The environment with exactly these settings. Other variables among them are left out. */
export function withSettings(
  environment: Environment,
  settings: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const others = Object.entries(environment).filter(([name]) => !SETTING_VARIABLES.includes(name));
  return { ...Object.fromEntries(others), ...settingsIn(settings) };
}
