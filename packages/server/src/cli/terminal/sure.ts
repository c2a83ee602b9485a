import { CommandFailure, EXIT } from "../exit.ts";
import { canAsk } from "./terminal.ts";
import type { Printer } from "./printer.ts";

/** Asks before what cannot be undone. A script must have said `--yes`. */
export async function sure(
  { terminal }: Printer,
  { question, yes }: { readonly question: string; readonly yes: boolean },
): Promise<boolean> {
  if (yes) return true;
  if (!canAsk(terminal))
    throw new CommandFailure("This cannot be undone: say --yes to do it.", EXIT.usage);
  const { confirm } = await import("@clack/prompts");
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  return answer === true;
}
