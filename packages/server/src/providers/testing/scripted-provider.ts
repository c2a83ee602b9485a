import path from "node:path";
import type { AcpDefinition } from "../acp/definition.ts";
import { SCRIPTED_VARIABLE, type ScriptedOptions } from "./scripted-options.ts";

export interface ScriptedDefinition extends ScriptedOptions {
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Overrides of the definition. */
  readonly definition?: Partial<AcpDefinition>;
}

/** The definition of a provider that runs the scripted agent. */
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
    protocol: 1,
    env: { ...env, [SCRIPTED_VARIABLE]: JSON.stringify(options) },
    passes: [],
    mounts: [],
    network: "open",
    pathVariable: null,
    install: null,
    login: null,
    mode: null,
    asks: true,
    models: [],
    authMethod: null,
    endsOnCancel: false,
    speaksLate: false,
    mcpServers: {},
    tools: true,
    outputFiles: [],
    loadableAfterMs: 0,
    ...definition,
  };
}

/** For a configuration file, which has only `command` and `env`. */
export const scriptedCommand: readonly string[] = [
  process.execPath,
  path.join(import.meta.dirname, "scripted-entry.mjs"),
];
