import type { Provider } from "@holdfast/protocol";
import type { Agent } from "./agent-choice.ts";

/** Whether the agent of the current run takes messages during its work. */
export function canSteer(providers: readonly Provider[], agent: Agent | null): boolean {
  const provider = providers.find(({ name }) => name === agent?.provider);
  return provider?.capabilities?.["steering"] === true;
}
