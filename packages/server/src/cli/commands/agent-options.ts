import type { AgentOption } from "@holdfast/protocol";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import { openPrinter } from "../terminal/printer.ts";
import { commandLine } from "../terminal/invocation.ts";

/** Lists what the agent of the next message lets the user choose. */
export async function listOptions(id: string, flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { provider, options } = await withGateway(
    flags,
    "read",
    ({ sessions }) => sessions.options(id),
    { withProviders: true },
  );
  if (flags.json === true) return printer.json({ provider, options });
  if (options.length === 0 && printer.isForPeople)
    return printer.note(
      `It is not known yet what ${provider} offers. It is after its first message: ${commandLine(`send ${id} TEXT`)}`,
    );
  return printer.table(
    options.map((option) => [
      option.id,
      option.value === null ? "" : String(option.value),
      choicesOf(option),
      option.name,
    ]),
    [
      "ID",
      { title: "VALUE", flexible: true },
      { title: "CHOICES", flexible: true },
      { title: "NAME", flexible: true },
    ],
  );
}

function choicesOf({ type, choices }: AgentOption): string {
  return type === "boolean" ? "true, false" : choices.map(({ id }) => id).join(", ");
}
