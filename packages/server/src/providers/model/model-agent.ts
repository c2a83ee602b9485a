import type { LanguageModel } from "ai";
import { defined } from "../../domain/defined.ts";
import type { Message } from "../../domain/message.ts";
import { addTokens } from "../acp/translate/usage.ts";
import {
  AgentFault,
  type Agent,
  type AgentExit,
  type AgentReport,
  type Prompt,
  type PromptEnd,
  type StartAgent,
} from "../provider.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { ModelApi, ModelDefinition } from "./definition.ts";
import { historyIn, modelContext, type ModelContext } from "./model-context.ts";
import { modelFault } from "./model-fault.ts";
import { pendingTool, settleTools, usageOf, withoutEchoes } from "./model-tool.ts";
import { readAnswer, type ModelAnswer } from "./read-answer.ts";

export interface ModelAgentOptions {
  readonly definition: ModelDefinition;
  readonly apiKey: string | null;
  readonly request: StartAgent;
  readonly redactor: Redactor;
}

/** How often a model may continue after a wrong tool call within one prompt. */
const MAX_STEPS = 4;

/** Sends prompts to a model's API. It keeps nothing between prompts: each contains the conversation. */
export class ModelAgent implements Agent {
  readonly provider: string;
  readonly pid = process.pid;
  readonly memory = "told";
  readonly supportsResume = true;
  readonly resumeData = null;
  readonly notices: readonly string[];
  readonly exited: Promise<AgentExit>;
  readonly #options: ModelAgentOptions;
  readonly #exit: (exit: AgentExit) => void;
  #active: { readonly abort: AbortController; readonly settled: Promise<void> } | null = null;
  #isStopped = false;

  constructor(options: ModelAgentOptions) {
    const exit = Promise.withResolvers<AgentExit>();
    this.#options = options;
    this.provider = options.definition.name;
    this.notices = withoutConnections(options);
    this.exited = exit.promise;
    this.#exit = exit.resolve;
  }

  get isGone(): boolean {
    return this.#isStopped;
  }

  async prompt(prompt: Prompt): Promise<PromptEnd> {
    if (this.#isStopped) throw this.#stoppedFault();
    const abort = new AbortController();
    const end = this.#answer(prompt, abort.signal);
    const settled = end.then(
      () => {},
      () => {},
    );
    this.#active = { abort, settled };
    return end;
  }

  roomFor(prompt: Prompt): { readonly given: number; readonly of: number } {
    return historyIn(this.#contextOf(prompt, withoutEchoes(prompt.begun ?? [])));
  }

  /** A model never asks for permission, because it makes no changes. */
  answer(): boolean {
    return false;
  }

  async cancel(): Promise<"settled"> {
    this.#active?.abort.abort();
    await this.#active?.settled;
    return "settled";
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.cancel();
    this.#exit({ code: 0, signal: null, stderr: "" });
  }

  async #answer(prompt: Prompt, signal: AbortSignal): Promise<PromptEnd> {
    const { definition, redactor } = this.#options;
    const begun = withoutEchoes(prompt.begun ?? []);
    const settled = settleTools(begun, prompt.answers ?? []);
    for (const { callId, content } of settled) {
      await this.#report({ report: "tool", callId, content, ended: true });
    }
    const withResults = begun.map((message): Message => {
      const tool = settled.find(({ callId }) => callId === message.content["callId"]);
      return tool === undefined ? message : { ...message, content: tool.content };
    });
    try {
      const answer = await this.#ask(prompt, withResults, signal);
      signal.throwIfAborted();
      return await this.#end(answer, begun);
    } catch (error) {
      if (this.#isStopped) throw this.#stoppedFault();
      if (signal.aborted) return { stopReason: "cancelled", usage: null };
      throw modelFault(error, definition, redactor);
    }
  }

  #contextOf({ parts, history = [] }: Prompt, begun: readonly Message[]): ModelContext {
    const { definition, request } = this.#options;
    const toolNames = new Set((request.tools ?? []).map(({ name }) => name));
    return { history, parts, begun, toolNames, contextTokens: definition.contextTokens };
  }

  async #ask(prompt: Prompt, begun: readonly Message[], signal: AbortSignal): Promise<ModelAnswer> {
    const { definition, apiKey, request, redactor } = this.#options;
    // Imported for the first prompt, so that a server whose models nobody uses does not load it.
    const { streamText, jsonSchema, tool, isStepCount } = await import("ai");
    // Its warnings go to the console, and may quote messages.
    globalThis.AI_SDK_LOG_WARNINGS = false;
    const model = prompt.model ?? request.model ?? definition.model;
    const result = streamText({
      model: await LANGUAGE_MODELS[definition.api](definition, apiKey, model),
      messages: modelContext(this.#contextOf(prompt, begun)),
      tools: Object.fromEntries(
        (request.tools ?? []).map(({ name, description, inputSchema }) => [
          name,
          tool({ description, inputSchema: jsonSchema(inputSchema) }),
        ]),
      ),
      ...defined({
        instructions: definition.system ?? undefined,
        maxOutputTokens: definition.maxTokens ?? undefined,
      }),
      stopWhen: isStepCount(MAX_STEPS),
      abortSignal: signal,
      // The runtime retries, and reports it in the transcript.
      maxRetries: 0,
      // The session is stored only here.
      providerOptions: { openai: { store: false } },
      telemetry: { isEnabled: false },
      onError: () => {},
    });
    const usedIds = new Set(begun.map(({ content }) => content["callId"]));
    return readAnswer(result.stream, { usedIds, redactor }, (report) => this.#report(report));
  }

  async #end(answer: ModelAnswer, begun: readonly Message[]): Promise<PromptEnd> {
    const usages = [...usageOf(begun), ...(answer.usage === null ? [] : [answer.usage])];
    const usage = usages.length === 0 ? null : usages.reduce(addTokens);
    for (const [index, call] of answer.calls.entries()) {
      const { callId, tool, args } = call;
      const content = pendingTool({ ...call, usage: index === 0 ? answer.usage : null });
      await this.#report({ report: "tool", callId, content, ended: false });
      const request = { title: tool, tool, args };
      await this.#report({ report: "wants", kind: "tool_result", callId, request });
    }
    if (answer.calls.length > 0) return { stopReason: "tool_use", usage };
    return { stopReason: stopReasonOf(answer, this.#options.definition), usage };
  }

  async #report(report: AgentReport): Promise<void> {
    await this.#options.request.onReport(report);
  }

  #stoppedFault(): AgentFault {
    return new AgentFault("agent_exited", `${this.#options.definition.title} was stopped`);
  }
}

type OpenModel = (
  definition: ModelDefinition,
  apiKey: string | null,
  model: string,
) => Promise<LanguageModel>;

const LANGUAGE_MODELS: Readonly<Record<ModelApi, OpenModel>> = {
  anthropic: async (definition, apiKey, model) =>
    (await import("@ai-sdk/anthropic")).createAnthropic(endpointOf(definition, apiKey))(model),
  openai: async (definition, apiKey, model) =>
    (await import("@ai-sdk/openai")).createOpenAI(endpointOf(definition, apiKey))(model),
  google: async (definition, apiKey, model) =>
    (await import("@ai-sdk/google")).createGoogleGenerativeAI(endpointOf(definition, apiKey))(
      model,
    ),
  "openai-compatible": async (definition, apiKey, model) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const endpoint = endpointOf(definition, apiKey);
    return createOpenAICompatible({ ...endpoint, name: definition.name, includeUsage: true })(
      model,
    );
  },
};

function endpointOf({ baseUrl }: ModelDefinition, apiKey: string | null) {
  return { baseURL: baseUrl, ...(apiKey !== null && { apiKey }) };
}

function stopReasonOf({ finishReason }: ModelAnswer, { title }: ModelDefinition): string {
  switch (finishReason) {
    case "stop":
      return "end_turn";
    case "length":
      return "max_tokens";
    case "content-filter":
      return "refusal";
    case "tool-calls":
      return "max_turn_requests";
    case "interrupted":
    case null:
      throw new AgentFault("agent_disconnected", `${title} broke off its answer`, {
        isPassing: true,
      });
    case "error":
      throw new AgentFault("agent_failed", `${title} ended its answer with an error`);
    case "other":
      return "other";
    default:
      return finishReason satisfies never;
  }
}

/** A model has no programs and reads no files. */
function withoutConnections({ definition, request }: ModelAgentOptions): readonly string[] {
  const { mcpServers = {}, directories = [] } = request.connections ?? {};
  const { title } = definition;
  return [
    ...Object.keys(mcpServers).map(
      (name) =>
        `The MCP server ${name} is left out: ${title} is a model, which uses no MCP servers.`,
    ),
    ...directories.map(
      ({ path }) => `The directory ${path} is left out: ${title} is a model, which reads no files.`,
    ),
  ];
}
