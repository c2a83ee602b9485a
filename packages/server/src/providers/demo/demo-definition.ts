import path from "node:path";
import type { AcpDefinition } from "../acp/definition.ts";
import { define } from "../built-in.ts";

export const DEMO_NAME = "demo";

/** The agent that comes with Holdfast. It runs as a process like any other agent, with the same Node. */
export function demoDefinition({
  stateFolder,
  pace = 1,
}: {
  /** The folder of its memory of sessions. */
  readonly stateFolder: string;
  /** Factor for its pauses; 0 for none. */
  readonly pace?: number;
}): AcpDefinition {
  const program = `demo-agent${path.extname(import.meta.filename)}`;
  return define({
    name: DEMO_NAME,
    title: "Demo agent",
    command: [process.execPath, path.join(import.meta.dirname, program)],
    env: { HOLDFAST_DEMO_STATE: stateFolder, HOLDFAST_DEMO_PACE: String(pace) },
    mounts: [`${stateFolder}/`],
    mode: "ask",
    asks: true,
    models: ["demo-fast", "demo-thoughtful"],
  });
}
