import type {
  AvailableCommand,
  ClientCapabilities,
  SessionConfigOption,
  SessionModeState,
  SetSessionConfigOptionRequest,
} from "@agentclientprotocol/sdk/unstable";
import type {
  AgentOption,
  OptionsReply,
  Provider,
  ProvidersReply,
  UpdateSessionRequest,
} from "@holdfast/protocol";
import { invalidParams } from "./rpc-error.ts";
import { present } from "./updates/blocks.ts";

/** What an editor's menus offer for the next message of a session. */
export interface Choices {
  readonly modes: SessionModeState | null;
  readonly configOptions: SessionConfigOption[];
  readonly commands: AvailableCommand[];
}

/** The option that chooses the agent, which no agent has itself. */
const AGENT_OPTION = "holdfast-agent";

/** Leaves the choice to the agent. Every option must have a value, but an agent may not have said which it uses. */
const DEFAULT = { value: "", name: "Default" } as const;

export function choicesOf(
  { providers }: ProvidersReply,
  { provider: name, options }: OptionsReply,
  capabilities: ClientCapabilities,
): Choices {
  const current = providers.find((provider) => provider.name === name);
  const all = [...options, ...knownModels(current, options)];
  const booleans = capabilities.session?.configOptions?.boolean != null;
  return {
    modes: modesOf(options),
    configOptions: [
      agentOption(providers, name),
      ...all.flatMap((option) => configOption(option, booleans)),
    ],
    commands: (current?.commands ?? []).map((command) => ({
      name: command.name,
      description: command.description,
      ...(command.hint !== null && { input: { hint: command.hint } }),
    })),
  };
}

/** The change of the session that a choice in the editor's menu means. Throws for an option that is not offered. */
export function changeOf(
  request: SetSessionConfigOptionRequest,
  { configOptions }: Choices,
): UpdateSessionRequest {
  const { configId, value } = request;
  const option = configOptions.find(({ id }) => id === configId);
  if (option === undefined)
    throw invalidParams(`There is no option ${JSON.stringify(configId)} for this agent.`);
  if (option.type === "boolean" ? typeof value !== "boolean" : typeof value !== "string")
    throw invalidParams(
      `${option.name} must be a ${option.type === "boolean" ? "boolean" : "text"}.`,
    );
  const chosen = value === DEFAULT.value ? null : value;
  switch (configId) {
    case AGENT_OPTION:
      return { provider: String(value), model: null };
    case "model":
      return { provider: agentOf(configOptions), model: chosen === null ? null : String(chosen) };
    case "mode":
      return { mode: chosen === null ? null : String(chosen) };
    default:
      return { options: { [configId]: chosen } };
  }
}

function agentOf(configOptions: readonly SessionConfigOption[]): string | null {
  const option = configOptions.find(({ id }) => id === AGENT_OPTION);
  return typeof option?.currentValue === "string" ? option.currentValue : null;
}

function agentOption(providers: readonly Provider[], current: string): SessionConfigOption {
  const offered = providers.filter(({ installed, name }) => installed || name === current);
  const options = offered.map(({ name, title }) => ({ value: name, name: title }));
  const isKnown = options.some(({ value }) => value === current);
  return {
    id: AGENT_OPTION,
    name: "Agent",
    description: "The agent that gets the next message. The conversation stays the same.",
    category: "_agent",
    type: "select",
    currentValue: current,
    options: isKnown ? options : [{ value: current, name: current }, ...options],
  };
}

function configOption(option: AgentOption, booleans: boolean): SessionConfigOption[] {
  const { id, name, value, choices } = option;
  const common = {
    id,
    name,
    ...present({ description: option.description, category: option.category }),
  };
  if (option.type === "boolean")
    return booleans ? [{ ...common, type: "boolean", currentValue: value === true }] : [];
  if (choices.length === 0) return [];
  const options = choices.map((choice) => ({
    value: choice.id,
    name: choice.name,
    ...present({ description: choice.description }),
  }));
  const isKnown = typeof value === "string" && choices.some((choice) => choice.id === value);
  if (isKnown) return [{ ...common, type: "select", currentValue: value, options }];
  const other = typeof value === "string" ? { value, name: value } : DEFAULT;
  return [{ ...common, type: "select", currentValue: other.value, options: [other, ...options] }];
}

/** An agent that was not started yet has not named its models, but its configuration may. */
function knownModels(
  provider: Provider | undefined,
  options: readonly AgentOption[],
): AgentOption[] {
  const models = provider?.models ?? [];
  if (models.length === 0 || options.some(({ id }) => id === "model")) return [];
  return [
    {
      id: "model",
      name: "Model",
      description: null,
      category: "model",
      type: "select",
      value: null,
      choices: models.map(({ id, name }) => ({ id, name, description: null })),
    },
  ];
}

function modesOf(options: readonly AgentOption[]): SessionModeState | null {
  const mode = options.find(({ id }) => id === "mode");
  if (mode === undefined || typeof mode.value !== "string") return null;
  const availableModes = mode.choices.map(({ id, name, description }) => ({
    id,
    name,
    ...present({ description }),
  }));
  return { currentModeId: mode.value, availableModes };
}
