import type { LoginMethod } from "../../providers/login.ts";
import type { ProviderDescription } from "../../providers/provider-description.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { WrongUsage } from "../failure/wrong-usage.ts";
import type { Printer } from "../terminal/printer.ts";
import { canAsk } from "../terminal/terminal.ts";

/** The login method to use; null if the person leaves the question. */
export async function chooseMethod(
  methods: readonly LoginMethod[],
  {
    named,
    printer,
    provider,
  }: {
    /** `--method`. */
    readonly named: string | undefined;
    readonly printer: Printer;
    readonly provider: Pick<ProviderDescription, "title" | "login">;
  },
): Promise<LoginMethod | null> {
  const { title, login } = provider;
  const ids = methods.map(({ id }) => id).join(", ");
  const [first] = methods;
  if (first === undefined) {
    const hint = login === null ? "" : ` ${login}`;
    throw new CommandFailure(`${title} offers no way to log in.${hint}`, EXIT.no);
  }
  if (named !== undefined) {
    const method = methods.find(({ id }) => id === named);
    if (method !== undefined) return method;
    throw new CommandFailure(`${title} has no login method "${named}". It has: ${ids}.`, EXIT.no);
  }
  if (methods.length === 1) return first;
  if (!canAsk(printer.terminal)) throw new WrongUsage(`Pass --method with one of: ${ids}.`);
  const { isCancel, select } = await import("@clack/prompts");
  const answer = await select({
    message: `How do you want to log in to ${title}?`,
    options: methods.map(({ id, name, description }) => ({
      value: id,
      label: name,
      ...(description !== null && { hint: description }),
    })),
    output: process.stderr,
  });
  return isCancel(answer) ? null : (methods.find(({ id }) => id === answer) ?? null);
}
