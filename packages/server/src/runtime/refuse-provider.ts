import type { RuntimeContext } from "./context.ts";
import { refuse, type Refused } from "./replies.ts";

/** Why no agent of this provider could be started now; null when one could. */
export async function refuseProvider(
  { provider }: RuntimeContext,
  name: string,
): Promise<Refused | null> {
  const found = provider(name);
  if (found === null) {
    return refuse("provider_unknown", `There is no provider "${name}". See GET /api/providers.`);
  }
  const { installed, title, install, command } = await found.describe();
  if (installed) return null;
  const program = command[0] ?? name;
  const where = program.includes("/")
    ? `There is no program ${program}.`
    : "It is not on the PATH.";
  const how = install === null ? "" : ` To install it: ${install}`;
  return refuse("agent_not_installed", `${title} is not installed. ${where}${how}`);
}
