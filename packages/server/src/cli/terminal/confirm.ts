import { CommandFailure, EXIT } from "../exit.ts";
import type { Printer } from "./printer.ts";
import { canAsk } from "./terminal.ts";

/** Asks before something that cannot be undone. A script must pass `--yes`. */
export async function confirmed(
  { terminal }: Printer,
  { question, yes }: { readonly question: string; readonly yes: boolean },
): Promise<boolean> {
  if (yes) return true;
  if (!canAsk(terminal))
    throw new CommandFailure("This cannot be undone. Pass --yes to confirm.", EXIT.usage);
  return askYesNo(question);
}

export async function askYesNo(question: string): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  return answer === true;
}
