import type { Json, JsonObject } from "../../../domain/json.ts";
import type { Message, MessageContent } from "../../../domain/message.ts";
import type { Agent, AgentReport, Provider, StartAgent } from "../../provider.ts";
import { defineModel, type ConfiguredModel, type ModelApi } from "../definition.ts";
import { createModelProvider } from "../model-provider.ts";

export const KEY = "sk-test-0123456789";

/** The base path of each API on the fake server. */
const BASES: Readonly<Record<ModelApi, string>> = {
  anthropic: "/v1",
  openai: "/v1",
  google: "/v1beta",
  "openai-compatible": "/v1",
};

export function modelProvider(url: string, configured: Partial<ConfiguredModel> = {}): Provider {
  const { api = "anthropic" } = configured;
  const definition = defineModel("local", {
    api,
    model: "fake-1",
    baseUrl: `${url}${BASES[api]}`,
    apiKeyEnv: "FAKE_KEY",
    ...configured,
  });
  return createModelProvider({ definition, environment: { FAKE_KEY: KEY } });
}

/** Collects reports in `reports`; consecutive text is one report. */
export class ModelRig {
  readonly reports: AgentReport[] = [];
  readonly agent: Agent;

  private constructor(start: (onReport: StartAgent["onReport"]) => Agent) {
    this.agent = start((report) => this.#take(report));
  }

  static async start(provider: Provider, more: Partial<StartAgent> = {}): Promise<ModelRig> {
    let take: StartAgent["onReport"] = () => undefined;
    const agent = await provider.startAgent({
      sessionId: "s1",
      workspace: { path: "/nowhere", descriptor: null },
      model: null,
      resume: null,
      onReport: (report) => take(report),
      signal: new AbortController().signal,
      ...more,
    });
    return new ModelRig((onReport) => {
      take = onReport;
      return agent;
    });
  }

  #take(report: AgentReport): undefined {
    const last = this.reports.at(-1);
    if (report.report === "alive") return undefined;
    if (
      report.report === "text" &&
      last?.report === "text" &&
      last.voice === report.voice &&
      last.part === report.part
    ) {
      this.reports[this.reports.length - 1] = { ...last, text: last.text + report.text };
      return undefined;
    }
    this.reports.push(report);
    return undefined;
  }

  /** All text of one voice. */
  text(voice: "answer" | "thought" = "answer"): string {
    return this.reports
      .map((report) => (report.report === "text" && report.voice === voice ? report.text : ""))
      .join("");
  }
}

export function text(words: string): MessageContent {
  return { type: "text", text: words };
}

let count = 0;

export function message(role: Message["role"], content: MessageContent, complete = true): Message {
  count += 1;
  return {
    id: `m${count}`,
    sessionId: "s1",
    runId: null,
    seq: count,
    role,
    content,
    complete,
    at: 0,
  };
}

export function toolMessage(
  call: { callId: string; tool: string; args: Json; result: Json; usage?: JsonObject },
  status = "completed",
): Message {
  return message("system", { type: "tool", title: call.tool, status, ...call });
}
