import { AgentFault } from "../provider.ts";
import type { AcpLink } from "./acp-link.ts";
import type { RequestOptions } from "./wire/json-rpc-peer.ts";
import { RpcError } from "./wire/rpc-error.ts";

export interface Setting {
  readonly link: AcpLink;
  readonly title: string;
  readonly sessionId: string;
  readonly options: RequestOptions;
}

/** Throws an `AgentFault` when the agent does not take it: in another mode it might do what nobody allowed. */
export async function setMode(setting: Setting, mode: string): Promise<void> {
  const { link, sessionId } = setting;
  const { modeOption } = link.about;
  await ask(setting, { what: "mode", value: mode, offered: link.about.modes }, () =>
    modeOption === null
      ? link.request("session/set_mode", { sessionId, modeId: mode }, setting.options)
      : setOption(setting, modeOption, mode),
  );
}

/** Throws an `AgentFault` when the agent does not take it: an answer of another model is not what was asked for. */
export async function setModel(setting: Setting, model: string): Promise<void> {
  const { link, sessionId } = setting;
  const { modelOption, currentModel } = link.about;
  if (currentModel === model) return;
  await ask(setting, { what: "model", value: model, offered: link.about.models }, () =>
    modelOption === null
      ? link.request("session/set_model", { sessionId, modelId: model }, setting.options)
      : setOption(setting, modelOption, model),
  );
  // Agents that have no options do not tell what is chosen now.
  if (modelOption === null) link.learn({ models: { currentModelId: model } });
}

async function setOption(setting: Setting, configId: string, value: string): Promise<unknown> {
  const { link, sessionId, options } = setting;
  const params = { sessionId, configId, value };
  const result = await link.request("session/set_config_option", params, options);
  link.learn(result);
  return result;
}

async function ask(
  { title }: Setting,
  wanted: {
    readonly what: "mode" | "model";
    readonly value: string;
    readonly offered: readonly { readonly id: string }[];
  },
  request: () => Promise<unknown>,
): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { what, value, offered } = wanted;
    const names = offered.slice(0, MAX_NAMED).map(({ id }) => id);
    const more = offered.length > names.length ? ", …" : "";
    const choice =
      names.length > 0 ? `it offers ${names.join(", ")}${more}` : "it offers no choice";
    throw new AgentFault("agent_failed", `${title} does not take the ${what} ${value}: ${choice}`, {
      detail: error.message,
      cause: error,
    });
  }
}

const MAX_NAMED = 20;
