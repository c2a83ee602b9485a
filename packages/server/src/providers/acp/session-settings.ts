import { AgentFault } from "../provider.ts";
import type { AcpLink } from "./acp-link.ts";
import { RpcError } from "./wire/rpc-error.ts";

/**
 * Sets the mode or the model of a session. Throws an `AgentFault` if the agent refuses: in another mode it might act
 * without permission, and an answer of another model was not requested.
 */
export async function applySetting(
  link: AcpLink,
  sessionId: string,
  { name, value }: { readonly name: "mode" | "model"; readonly value: string },
  signal?: AbortSignal,
): Promise<void> {
  const { choices, current, option } = link.about[name];
  if (name === "model" && current === value) return;
  const options = { timeoutMs: link.times.startMs, signal };
  try {
    if (option !== null) {
      const params = { sessionId, configId: option, value };
      link.learn(await link.peer.request("session/set_config_option", params, options));
    } else if (name === "mode") {
      await link.peer.request("session/set_mode", { sessionId, modeId: value }, options);
    } else {
      await link.peer.request("session/set_model", { sessionId, modelId: value }, options);
      // Agents without options do not report the current model.
      link.learn({ models: { currentModelId: value } });
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const names = choices.slice(0, MAX_NAMED).map(({ id }) => id);
    const more = choices.length > names.length ? ", …" : "";
    const offer = names.length > 0 ? `it offers ${names.join(", ")}${more}` : "it offers no choice";
    throw new AgentFault(
      "agent_failed",
      `${link.title} does not accept the ${name} ${value}: ${offer}`,
      { detail: error.message, cause: error },
    );
  }
}

const MAX_NAMED = 20;
