import type { ToolSet } from "ai";
import type { Message } from "../../domain/message.ts";
import {
  AgentFault,
  type Agent,
  type AgentExit,
  type AgentReport,
  type Prompt,
  type PromptEnd,
  type StartAgent,
  type ToolDefinition,
} from "../provider.ts";
import type { ModelDefinition } from "./definition.ts";
import { hearStream, type Heard } from "./hear-stream.ts";
import { loadAi, openLanguageModel } from "./language-model.ts";
import { historyIn, modelContext, type ModelContext } from "./model-context.ts";
import { modelFault } from "./model-fault.ts";
import {
  pendingTool,
  settleTools,
  usageOf,
  withoutEchoes,
  type SettledTool,
} from "./model-tool.ts";
import { addUsage } from "./model-usage.ts";

export interface ModelAgentOptions {
  readonly definition: ModelDefinition;
  readonly apiKey: string | null;
  readonly request: StartAgent;
}

/** How often a model may go on after it called a tool wrongly, within one prompt. */
const MAX_STEPS = 4;

/** Asks a model over its API. It keeps nothing between prompts: what was said before comes with each. */
export class ModelAgent implements Agent {
  readonly provider: string;
  readonly pid = process.pid;
  readonly memory = "told";
  readonly supportsResume = true;
  readonly resumeData = null;
  readonly exited: Promise<AgentExit>;
  readonly #options: ModelAgentOptions;
  readonly #exit: (exit: AgentExit) => void;
  #underWay: { readonly abort: AbortController; readonly settled: Promise<void> } | null = null;
  #isStopped = false;

  constructor(options: ModelAgentOptions) {
    const exit = Promise.withResolvers<AgentExit>();
    this.#options = options;
    this.provider = options.definition.name;
    this.exited = exit.promise;
    this.#exit = exit.resolve;
  }

  get isGone(): boolean {
    return this.#isStopped;
  }

  async prompt(prompt: Prompt): Promise<PromptEnd> {
    if (this.#isStopped) throw this.#stoppedFault();
    const abort = new AbortController();
    const ending = this.#answer(prompt, abort.signal);
    const settled = ending.then(
      () => {},
      () => {},
    );
    this.#underWay = { abort, settled };
    return ending;
  }

  roomFor(prompt: Prompt): { readonly given: number; readonly of: number } {
    return historyIn(this.#contextOf(prompt, withoutEchoes(prompt.begun ?? [])));
  }

  /** It never asks for permission: it does nothing itself. */
  answer(): boolean {
    return false;
  }

  async cancel(): Promise<"settled"> {
    this.#underWay?.abort.abort();
    await this.#underWay?.settled;
    return "settled";
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.cancel();
    this.#exit({ code: 0, signal: null, stderr: "" });
  }

  async #answer(prompt: Prompt, signal: AbortSignal): Promise<PromptEnd> {
    const { definition, apiKey } = this.#options;
    const begun = withoutEchoes(prompt.begun ?? []);
    const { answers = [] } = prompt;
    const settled = settleTools(begun, answers);
    for (const { callId, content } of settled) {
      await this.#report({ report: "tool", callId, content, ended: true });
    }
    try {
      const heard = await this.#ask(prompt, { begun: withResults(begun, settled), signal });
      signal.throwIfAborted();
      return await this.#end(heard, begun);
    } catch (error) {
      if (this.#isStopped) throw this.#stoppedFault();
      if (signal.aborted) return { stopReason: "cancelled", usage: null };
      throw modelFault(error, { definition, apiKey, now: Date.now() });
    }
  }

  #contextOf({ parts, history = [] }: Prompt, begun: readonly Message[]): ModelContext {
    const { definition, request } = this.#options;
    const toolNames = new Set((request.tools ?? []).map(({ name }) => name));
    return { history, parts, begun, toolNames, contextTokens: definition.contextTokens };
  }

  async #ask(
    prompt: Prompt,
    { begun, signal }: { readonly begun: readonly Message[]; readonly signal: AbortSignal },
  ): Promise<Heard> {
    const { definition, apiKey, request } = this.#options;
    const { maxTokens, system } = definition;
    const { streamText, jsonSchema, tool, isStepCount } = await loadAi();
    const chosen = prompt.model ?? request.model ?? definition.model;
    const tools = request.tools ?? [];
    const result = streamText({
      model: await openLanguageModel(definition, { model: chosen, apiKey }),
      messages: modelContext(this.#contextOf(prompt, begun)),
      tools: toolSet(tools, (each) =>
        tool({
          description: each.description,
          inputSchema: jsonSchema(each.inputSchema),
        }),
      ),
      ...(system !== null && { instructions: system }),
      ...(maxTokens !== null && { maxOutputTokens: maxTokens }),
      stopWhen: isStepCount(MAX_STEPS),
      abortSignal: signal,
      // The runtime tries again, and says so in the transcript.
      maxRetries: 0,
      // The session is kept here, and nowhere else.
      providerOptions: { openai: { store: false } },
      telemetry: { isEnabled: false },
      onError: () => {},
    });
    return hearStream(result.stream, {
      report: (report) => this.#report(report),
      taken: new Set(begun.map(({ content }) => content["callId"])),
    });
  }

  async #end(heard: Heard, begun: readonly Message[]): Promise<PromptEnd> {
    const used = [...usageOf(begun), ...(heard.usage === null ? [] : [heard.usage])];
    const usage = addUsage(used);
    for (const [index, call] of heard.calls.entries()) {
      const { callId, tool, args } = call;
      const content = pendingTool({ ...call, usage: index === 0 ? heard.usage : null });
      await this.#report({ report: "tool", callId, content, ended: false });
      const request = { title: tool, tool, args };
      await this.#report({ report: "wants", kind: "tool_result", callId, request });
    }
    if (heard.calls.length > 0) return { stopReason: "tool_use", usage };
    return { stopReason: stopReasonOf(heard, this.#options.definition), usage };
  }

  async #report(report: AgentReport): Promise<void> {
    await this.#options.request.onReport(report);
  }

  #stoppedFault(): AgentFault {
    return new AgentFault("agent_exited", `${this.#options.definition.title} was stopped`);
  }
}

function stopReasonOf({ finishReason }: Heard, { title }: ModelDefinition): string {
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
      throw new AgentFault("agent_disconnected", `${title} broke off`, { isPassing: true });
    case "error":
      throw new AgentFault("agent_failed", `${title} ended with an error`);
    case "other":
      return "other";
    default:
      return finishReason satisfies never;
  }
}

function withResults(
  begun: readonly Message[],
  settled: readonly SettledTool[],
): readonly Message[] {
  return begun.map((message) => {
    const { callId } = message.content;
    const now = settled.find((each) => each.callId === callId);
    return now === undefined ? message : { ...message, content: now.content };
  });
}

function toolSet(
  tools: readonly ToolDefinition[],
  make: (tool: ToolDefinition) => ToolSet[string],
): ToolSet {
  return Object.fromEntries(tools.map((tool) => [tool.name, make(tool)]));
}
