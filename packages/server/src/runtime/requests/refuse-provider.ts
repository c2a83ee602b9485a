import type { RuntimeContext } from "../context.ts";
import { refuse, type Refused } from "../reply.ts";

/** The source of the provider: the request, the session's preference, or its last run. */
export type ChosenBy = "request" | "preference" | "last_run";

/** Refuses a provider that cannot start an agent; null if it can. */
export async function refuseProvider(
  { provider }: RuntimeContext,
  name: string,
  chosenBy: ChosenBy,
): Promise<Refused | null> {
  const chosen = provider(name);
  if (chosen === null) return refuse("provider_unknown", unknownProvider(name, chosenBy));
  const { installed, title, install, command } = await chosen.describe();
  if (installed) return null;
  const program = command[0] ?? name;
  const where = program.includes("/")
    ? `The program ${program} does not exist.`
    : "It is not on the PATH.";
  const how = install === null ? "" : ` Install it with: ${install}`;
  return refuse("agent_not_installed", `${title} is not installed. ${where}${how}`);
}

const ADVICE = "Configure it, or choose another provider for the message or the session.";

function unknownProvider(name: string, chosenBy: ChosenBy): string {
  switch (chosenBy) {
    case "request":
      return `There is no provider "${name}".`;
    case "preference":
      return `The session prefers the provider "${name}", which is no longer configured. ${ADVICE}`;
    case "last_run":
      return `The session's last run used the provider "${name}", which is no longer configured. ${ADVICE}`;
    default:
      return chosenBy satisfies never;
  }
}

/** For a run whose provider was removed after the message was accepted. */
export function providerGone(name: string): string {
  return `The provider "${name}" is no longer configured. ${ADVICE}`;
}
