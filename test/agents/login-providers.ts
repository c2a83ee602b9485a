import { BUILT_IN } from "../../packages/server/src/providers/built-in.ts";
import type { InstalledAgent } from "./install-agent.ts";

/** The provider of the same agent in a home without a login. */
export function loginProviderOf(agent: string): string {
  return `${agent}-locked`;
}

/** Program and arguments, as the built-in provider starts it. */
export function commandOf({ name, file }: InstalledAgent): readonly string[] {
  const definition = BUILT_IN.find((each) => each.name === name);
  return [file, ...(definition?.command.slice(1) ?? [])];
}
