import { canHave, choicesText, type OfferedOption } from "../../domain/settings/agent-offer.ts";
import type { OptionValue } from "../../domain/settings/agent-settings.ts";
import { AgentFault, type WantedSettings } from "../provider.ts";
import type { AcpLink } from "./acp-link.ts";
import { RpcError } from "./wire/rpc-error.ts";

/** An option that was not set, and why, as a sentence. */
export interface SkippedOption {
  readonly id: string;
  readonly reason: string;
}

/**
 * Sets what differs: the model first, since modes and options depend on it. Throws an `AgentFault` if the agent does not
 * accept the model, the mode, or an option of this run. Returns the kept options that it does not accept.
 */
export async function applySettings(
  link: AcpLink,
  sessionId: string,
  wanted: WantedSettings,
  signal?: AbortSignal,
): Promise<readonly SkippedOption[]> {
  const { model, forRun = {} } = wanted;
  const mode = forRun.mode ?? wanted.mode;
  if (model !== null) await applySetting(link, sessionId, { name: "model", value: model }, signal);
  if (mode !== null && link.about.mode.current !== mode)
    await applySetting(link, sessionId, { name: "mode", value: mode }, signal);
  const skipped: SkippedOption[] = [];
  const chosen = { ...wanted.options, ...forRun.options };
  for (const [id, value] of Object.entries(chosen)) {
    const reason = await applyOption(link, sessionId, { id, value }, signal);
    if (reason === null) continue;
    if (Object.hasOwn(forRun.options ?? {}, id)) throw new AgentFault("agent_failed", reason);
    skipped.push({ id, reason });
  }
  return skipped;
}

/** Returns why the option was not set; null if it has the value now. */
async function applyOption(
  link: AcpLink,
  sessionId: string,
  { id, value }: { readonly id: string; readonly value: OptionValue },
  signal?: AbortSignal,
): Promise<string | null> {
  // Read each time: the option before it may have changed what is offered.
  const option = link.about.others.find((other) => other.id === id);
  if (option === undefined) return unknownOption(link, id);
  if (option.value === value) return null;
  if (!canHave(option, value)) return unknownValue(link.title, option, value);
  const params = { sessionId, configId: id, value };
  const typed = typeof value === "boolean" ? { ...params, type: "boolean" } : params;
  try {
    const options = { timeoutMs: link.times.startMs, signal };
    link.learn(await link.peer.request("session/set_config_option", typed, options));
    return null;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return `${unknownValue(link.title, option, value)} (${error.message})`;
  }
}

function unknownOption({ title, about }: AcpLink, id: string): string {
  const ids = about.others.map((other) => other.id).join(", ");
  const offer = ids === "" ? "it offers no options" : `it offers ${ids}`;
  return `${title} has no option ${id}: ${offer}`;
}

function unknownValue(title: string, option: OfferedOption, value: OptionValue): string {
  const { id } = option;
  return `${title} does not accept ${String(value)} for the option ${id}: it offers ${choicesText(option)}`;
}

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
      link.learn({ currentModeId: value });
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
