import { terminalOf } from "../terminal/terminal.ts";
import type { InstallFlags } from "../hooks/install-hooks.ts";
import type { DataFlags } from "../settings/settings.ts";

export interface HookFlags extends DataFlags {
  readonly test?: true;
}

export async function answerPreDelegate(flags: HookFlags): Promise<number> {
  if (flags.test === true) return checkItself(flags);
  const { preDelegate } = await import("../hooks/pre-delegate.ts");
  return preDelegate({ flags, env: process.env, stdio: process });
}

export async function answerSubagentStop(flags: HookFlags): Promise<number> {
  if (flags.test === true) return checkItself(flags);
  const { subagentStop } = await import("../hooks/subagent-stop.ts");
  return subagentStop({ flags, env: process.env, stdio: process });
}

async function checkItself(flags: HookFlags): Promise<number> {
  const { checkHooks } = await import("../hooks/self-check.ts");
  return checkHooks({ flags, env: process.env, stdio: process });
}

export async function install(flags: InstallFlags): Promise<number> {
  const { installHooks } = await import("../hooks/install-hooks.ts");
  return installHooks({ flags, env: process.env, terminal: terminalOf(process) });
}
