import { readFileSync } from "node:fs";
import path from "node:path";
import { createAgentTranslator } from "../acp/translate/subagents.ts";
import type { TranslatedPermission, Translator } from "../acp/translate/translate.ts";
import { normaliseUsage } from "../acp/translate/usage.ts";
import type { AgentReport } from "../provider.ts";
import { asFirstVersion } from "./replay-second-version.ts";

const FIXTURES = path.resolve(import.meta.dirname, "../acp/fixtures");

/** The reports from a recording of a real agent, in order. */
export interface Replay {
  readonly steps: readonly ReplayStep[];
  /** All text of the recording by session and voice. None of it may get lost. */
  readonly said: ReadonlyMap<string, string>;
}

export type ReplayStep = { readonly session: string } & (
  | { readonly step: "prompt"; readonly text: string }
  | { readonly step: "report"; readonly report: AgentReport }
  | { readonly step: "permission"; readonly permission: TranslatedPermission }
  | { readonly step: "end"; readonly how: string; readonly usage: unknown }
);

interface Row {
  readonly dir?: "client" | "agent";
  readonly exit?: number | string;
  readonly msg?: {
    readonly id?: number;
    readonly method?: string;
    readonly params?: {
      readonly sessionId?: string;
      readonly prompt?: readonly { readonly text: string }[];
      readonly update?: {
        readonly sessionUpdate?: string;
        readonly content?: { readonly type?: string; readonly text?: string };
      };
    };
    readonly result?: { readonly stopReason?: string };
    readonly error?: { readonly message: string };
  };
}

export function replayTranscript(name: string): Replay {
  const written = readFileSync(path.join(FIXTURES, `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
  const rows = asFirstVersion(written);

  const translators = new Map<string, Translator>();
  const prompts = new Map<number, string>();
  const said = new Map<string, string>();
  const steps: ReplayStep[] = [];

  const translatorOf = (session: string): Translator => {
    const translator = translators.get(session) ?? createAgentTranslator();
    translators.set(session, translator);
    return translator;
  };
  const report = (session: string, reports: readonly AgentReport[]): void => {
    for (const one of reports) steps.push({ session, step: "report", report: one });
  };

  for (const { dir, exit, msg } of rows) {
    const session = msg?.params?.sessionId ?? "";
    if (exit !== undefined) {
      for (const [id, translator] of translators) report(id, translator.endPrompt("failed"));
    } else if (dir === "client" && msg?.method === "session/prompt") {
      prompts.set(msg.id ?? -1, session);
      steps.push({ session, step: "prompt", text: msg.params?.prompt?.[0]?.text ?? "" });
    } else if (dir === "agent" && msg?.method === "session/update") {
      const update = msg.params?.update;
      const key = `${session} ${update?.sessionUpdate}`;
      if (update?.content?.type === "text")
        said.set(key, (said.get(key) ?? "") + update.content.text);
      report(session, translatorOf(session).update(update));
    } else if (dir === "agent" && msg?.method === "session/request_permission") {
      const permission = translatorOf(session).permission(msg.params);
      if (permission === null) throw new Error(`${name}: a permission was not understood`);
      report(session, permission.reports);
      steps.push({ session, step: "permission", permission });
    } else if (dir === "agent" && prompts.has(msg?.id ?? -1) && msg?.method === undefined) {
      const prompted = prompts.get(msg?.id ?? -1) ?? "";
      const how = msg?.result?.stopReason ?? "error";
      const ends = { cancelled: "cancelled", error: "failed" } as const;
      report(
        prompted,
        translatorOf(prompted).endPrompt(
          how === "cancelled" || how === "error" ? ends[how] : "completed",
        ),
      );
      steps.push({ session: prompted, step: "end", how, usage: normaliseUsage(msg?.result) });
    }
  }
  return { steps, said };
}

/** A replay as readable lines: text joined, IDs as numbers. */
export function summarise({ steps }: Replay): string {
  const names = new Map<string, string>();
  const nameOf = (kind: string, id: string): string => {
    const known = names.get(`${kind} ${id}`);
    if (known !== undefined) return known;
    const count = [...names.keys()].filter((key) => key.startsWith(`${kind} `)).length;
    names.set(`${kind} ${id}`, `${kind}${count + 1}`);
    return `${kind}${count + 1}`;
  };

  const lines: string[] = [];
  const text = { key: "", words: "" };
  const endText = (): void => {
    if (text.words !== "") lines.push(`  ${text.key}: ${shorten(JSON.stringify(text.words))}`);
    text.words = "";
  };
  for (const step of steps) {
    const session = nameOf("session", step.session);
    if (step.step === "report" && step.report.report === "text") {
      const { voice, part } = step.report;
      const key = part === null ? voice : `${voice} ${nameOf("part", part)}`;
      if (text.key !== key) endText();
      text.key = key;
      text.words += step.report.text;
      continue;
    }
    if (step.step === "report" && step.report.report === "alive") continue;
    if (
      step.step !== "report" ||
      (step.report.report !== "usage" && step.report.report !== "title")
    )
      endText();
    lines.push(lineOf(step, { session, callOf: (id) => nameOf("call", id) }));
  }
  endText();
  return `${lines.join("\n")}\n`;
}

function lineOf(
  step: ReplayStep,
  { session, callOf }: { session: string; callOf: (id: string) => string },
): string {
  switch (step.step) {
    case "prompt":
      return `${session} > ${step.text}`;
    case "end":
      return `${session} < ${step.how} ${JSON.stringify(step.usage)}`;
    case "permission": {
      const { request, fingerprint } = step.permission;
      const { toolCallId, options, ...rest } = request;
      const call = toolCallId === null ? "no call" : callOf(toolCallId);
      const names = options.map(({ optionId, kind }) => `${optionId}=${kind}`).join(" ");
      return `  permission ${call} ${shorten(JSON.stringify(rest))} [${names}] ${fingerprint.slice(0, 8)}`;
    }
    case "report": {
      const { report, ...rest } = step.report;
      if (step.report.report !== "tool") return `  ${report} ${shorten(JSON.stringify(rest))}`;
      const { callId, content, ended } = step.report;
      const { type: _type, callId: _callId, status, tool, ...more } = content;
      const word = ended ? `${status as string}, ended` : (status as string);
      return `  tool ${callOf(callId)} ${tool as string} ${word} ${shorten(JSON.stringify(more))}`;
    }
    default:
      return step satisfies never;
  }
}

function shorten(text: string): string {
  return text.length > 420 ? `${text.slice(0, 420)}…` : text;
}
