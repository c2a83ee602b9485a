import type { RuntimeContext } from "../context.ts";
import { refuse, type Refused } from "../reply.ts";

/** Who chose the provider: the request itself, the session's preference, or nobody since the last run. */
export type ChosenBy = "request" | "preference" | "last_run";

/** Why no agent of this provider could be started now; null when one could. */
export async function refuseProvider(
  { provider }: RuntimeContext,
  { name, chosenBy }: { readonly name: string; readonly chosenBy: ChosenBy },
): Promise<Refused | null> {
  const found = provider(name);
  if (found === null) return refuse("provider_unknown", unknownProvider(name, chosenBy));
  const { installed, title, install, command } = await found.describe();
  if (installed) return null;
  const program = command[0] ?? name;
  const where = program.includes("/")
    ? `There is no program ${program}.`
    : "It is not on the PATH.";
  const how = install === null ? "" : ` To install it: ${install}`;
  return refuse("agent_not_installed", `${title} is not installed. ${where}${how}`);
}

const WHAT_TO_DO = "Configure it again, or choose another provider for the message or the session.";

function unknownProvider(name: string, chosenBy: ChosenBy): string {
  switch (chosenBy) {
    case "request":
      return `There is no provider "${name}". See GET /api/providers.`;
    case "preference":
      return `The session prefers the provider "${name}", which is not configured any more. ${WHAT_TO_DO}`;
    case "last_run":
      return `The session's last run used the provider "${name}", which is not configured any more. ${WHAT_TO_DO}`;
    default:
      return chosenBy satisfies never;
  }
}

/** For a run that was accepted while there was one. */
export function providerGone(name: string): string {
  return `The provider "${name}" is not configured any more. ${WHAT_TO_DO}`;
}
