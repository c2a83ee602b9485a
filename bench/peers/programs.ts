import { installAgent, type Program } from "../../test/agents/install-agent.ts";

export const OPENCODE = {
  name: "opencode",
  package: "opencode-ai",
  version: "1.18.33",
  program: "opencode",
} as const satisfies Program;

export const HAPI = {
  name: "hapi",
  package: "@twsxtd/hapi",
  version: "0.30.7",
  program: "hapi",
} as const satisfies Program;

export const QWEN = {
  name: "qwen",
  package: "@qwen-code/qwen-code",
  version: "0.24.4",
  program: "qwen",
} as const satisfies Program;

/** The file of a program, or why it could not be installed. */
export async function install(
  program: Program,
): Promise<{ readonly file: string } | { readonly why: string }> {
  const installed = await installAgent(program);
  return installed.ok ? { file: installed.agent.file } : { why: installed.why };
}
