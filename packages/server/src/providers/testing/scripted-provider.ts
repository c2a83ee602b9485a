import path from "node:path";
import type { AcpDefinition } from "../acp/definition.ts";
import { SCRIPTED_VARIABLE, type ScriptedOptions } from "./scripted-options.ts";

export interface ScriptedDefinition extends ScriptedOptions {
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What differs from an ordinary definition. */
  readonly definition?: Partial<AcpDefinition>;
}

/** Where tests keep what Node has compiled: with it the agent starts in a fifth of the time. */
const { NODE_COMPILE_CACHE } = process.env;
const COMPILE_CACHE = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** How a provider is configured that runs the scripted agent. */
export function scriptedDefinition({
  name = "scripted",
  env = {},
  definition = {},
  ...options
}: ScriptedDefinition = {}): AcpDefinition {
  return {
    name,
    title: "Scripted agent",
    command: scriptedCommand,
    env: { ...COMPILE_CACHE, ...env, [SCRIPTED_VARIABLE]: JSON.stringify(options) },
    passes: [],
    mounts: [],
    pathVariable: null,
    install: null,
    mode: null,
    asks: true,
    models: [],
    authMethod: null,
    endsOnCancel: false,
    tools: true,
    loadableAfterMs: 0,
    ...definition,
  };
}

/** For a config file, where only command and `env` can be given. */
export const scriptedCommand: readonly string[] = [
  process.execPath,
  path.join(import.meta.dirname, "scripted-agent.ts"),
];
