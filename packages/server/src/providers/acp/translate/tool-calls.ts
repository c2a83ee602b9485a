import { sameJson } from "../../../domain/json.ts";
import type { AgentReport } from "../../provider.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { looseLabel, type Loose } from "../wire/loose.ts";
import {
  extendToolCall,
  hasEnded,
  hasInput,
  hasResult,
  newToolCall,
  patchToolCall,
  toolMessage,
  type ToolCall,
} from "./tool-call.ts";

export type ToolReport = Extract<AgentReport, { report: "tool" }>;

/** The open tool calls of one agent. The end of a call is reported once, and nothing after that. */
export interface ToolCalls {
  /** Null if there is no open call with this ID. */
  get(callId: unknown): ToolCall | null;
  /** `isNew`: a `tool_call`, which starts a new call even if an earlier prompt had one with the same ID. */
  patch(patch: Loose, options: { readonly isNew: boolean }): readonly ToolReport[];
  /**
   * Adds the tool call of a permission request. Its input does not replace the input of the call, because some agents
   * phrase it differently.
   */
  ask(toolCall: Loose): readonly ToolReport[];
  extend(patch: Loose): readonly ToolReport[];
  /** Reports the end of calls that have ended but whose result could still have followed. */
  settle(): readonly ToolReport[];
  /** Ends all calls at the end of a prompt. */
  endAll(how: "completed" | "cancelled" | "failed"): readonly ToolReport[];
}

interface OpenCall {
  readonly call: ToolCall;
  readonly report: ToolReport;
}

/** If there are more, the oldest is ended as unfinished. */
const MAX_OPEN = 200;
/** Ended calls are remembered, so that a late update does not open them again. */
const MAX_ENDED = 2_000;

export function createToolCalls(redactor: Redactor): ToolCalls {
  const open = new Map<string, OpenCall>();
  /** The prompt in which each call ended. */
  const ended = new Map<string, number>();
  let prompt = 0;

  const end = (call: ToolCall): ToolReport => {
    open.delete(call.callId);
    ended.set(call.callId, prompt);
    const oldest = ended.size > MAX_ENDED ? ended.keys().next().value : undefined;
    if (oldest !== undefined) ended.delete(oldest);
    return reportOf(call, true);
  };

  const openCalls = (): ToolCall[] => [...open.values()].map(({ call }) => call);

  const makeRoom = (): readonly ToolReport[] => {
    const oldest = open.size < MAX_OPEN ? undefined : open.values().next().value;
    return oldest === undefined ? [] : [end({ ...oldest.call, status: "unfinished" })];
  };

  /** Reports the call only if it has changed. */
  const put = (call: ToolCall, isComplete: boolean): readonly ToolReport[] => {
    if (hasEnded(call) && isComplete) return [end(call)];
    const report = reportOf(call, false);
    const before = open.get(call.callId)?.report;
    open.set(call.callId, { call, report });
    return before !== undefined && sameJson(before.content, report.content) ? [] : [report];
  };

  const get = (callId: unknown): ToolCall | null =>
    open.get(looseLabel(callId) ?? "")?.call ?? null;

  const patchCall: ToolCalls["patch"] = (patch, { isNew }) => {
    const callId = looseLabel(patch["toolCallId"]);
    if (callId === null) return [];
    if (isNew ? ended.get(callId) === prompt : ended.has(callId)) return [];
    const current = get(callId);
    const call = patchToolCall(current ?? newToolCall(callId), patch, redactor);
    const before = current === null ? makeRoom() : [];
    ended.delete(callId);
    return [...before, ...put(call, hasResult(patch))];
  };

  return {
    get,
    patch: patchCall,
    ask({ rawInput, ...toolCall }) {
      const current = get(toolCall["toolCallId"]);
      const patch = current !== null && hasInput(current) ? toolCall : { ...toolCall, rawInput };
      return patchCall(patch, { isNew: false });
    },
    extend(patch) {
      const call = get(patch["toolCallId"]);
      return call === null ? [] : put(extendToolCall(call, patch["content"], redactor), false);
    },
    settle() {
      return openCalls().filter(hasEnded).map(end);
    },
    endAll(how) {
      const status = how === "cancelled" ? "cancelled" : "unfinished";
      const reports = openCalls().map((call) => end(hasEnded(call) ? call : { ...call, status }));
      prompt += 1;
      return reports;
    },
  };
}

function reportOf(call: ToolCall, isEnded: boolean): ToolReport {
  return { report: "tool", callId: call.callId, content: toolMessage(call), ended: isEnded };
}
