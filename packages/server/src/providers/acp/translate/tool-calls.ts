import { sameJson } from "../../../domain/json.ts";
import type { AgentReport } from "../../provider.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { looseLabel, looseObject, type Loose } from "../wire/loose.ts";
import { MAX_BYTES } from "../wire/shorten.ts";
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
import { growthOf, printedBytes } from "./tool-content.ts";

export type ToolReport = Extract<AgentReport, { report: "tool" }>;
export type CallReport = Extract<AgentReport, { report: "tool" | "output" }>;

/** The open tool calls of one agent. The end of a call is reported once, and nothing after that. */
export interface ToolCalls {
  /** Null if there is no open call with this ID. */
  get(callId: unknown): ToolCall | null;
  /** `isNew`: a `tool_call`, which starts a new call even if an earlier prompt had one with the same ID. */
  patch(patch: Loose, options: { readonly isNew: boolean }): readonly CallReport[];
  /**
   * Adds the tool call of a permission request. Its input does not replace the input of the call, because some agents
   * phrase it differently.
   */
  ask(toolCall: Loose): readonly CallReport[];
  extend(patch: Loose): readonly CallReport[];
  /** Reports the end of calls that have ended but whose result could still have followed. */
  settle(): readonly CallReport[];
  /** Reports output beyond the limit, although the agent prints nothing more. */
  release(): readonly CallReport[];
  /** Whether output has not been reported yet. */
  readonly isHolding: boolean;
  /** Ends all calls at the end of a prompt. */
  endAll(how: "completed" | "cancelled" | "failed"): readonly CallReport[];
}

interface OpenCall {
  readonly call: ToolCall;
  /** The last report of the whole call. */
  readonly report: ToolReport;
  /** The call as it was then, with the output that was reported since. */
  readonly reported: ToolCall;
}

/** Output beyond the limit is reported after this part of the limit, or less when the agent pauses: each report replaces all of it. */
const MAX_UNREPORTED = 1 / 4;
const MIN_UNREPORTED = 1 / 64;

/** If there are more, the oldest is ended as unfinished. */
const MAX_OPEN = 200;
/** Ended calls are remembered, so that a late update does not open them again. */
const MAX_ENDED = 2_000;

/** `limit`: how much of the output of a call is kept, in bytes. */
export function createToolCalls(redactor: Redactor, limit = MAX_BYTES): ToolCalls {
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

  const makeRoom = (): readonly CallReport[] => {
    const oldest = open.size < MAX_OPEN ? undefined : open.values().next().value;
    return oldest === undefined ? [] : [end({ ...oldest.call, status: "unfinished" })];
  };

  /** Reports the call only if it has changed. If only its output has grown, reports what was added. */
  const put = (call: ToolCall, isComplete: boolean): readonly CallReport[] => {
    const { callId } = call;
    if (hasEnded(call) && isComplete) return [end(call)];
    const before = open.get(callId);
    if (before !== undefined && isOnlyOutput(before.call, call))
      return before.call.terminals === call.terminals ? [] : putOutput(before, call);
    const report = reportOf(call, false);
    open.set(callId, { call, report, reported: call });
    const isSame = before !== undefined && sameJson(before.report.content, report.content);
    return isSame && before.call === before.reported ? [] : [report];
  };

  const putOutput = (before: OpenCall, call: ToolCall): readonly CallReport[] => {
    const { callId } = call;
    const { report, reported } = before;
    const text = growthOf(reported.terminals, call.terminals, shownIn(report), limit);
    if (text !== null) {
      open.set(callId, { call, report, reported: call });
      return text === "" ? [] : [{ report: "output", callId, text }];
    }
    if (isCut(report) && unreported({ ...before, call }) < limit * MAX_UNREPORTED) {
      open.set(callId, { ...before, call });
      return [];
    }
    return whole(call);
  };

  const whole = (call: ToolCall): readonly CallReport[] => {
    const report = reportOf(call, false);
    open.set(call.callId, { call, report, reported: call });
    return [report];
  };

  const get = (callId: unknown): ToolCall | null =>
    open.get(looseLabel(callId) ?? "")?.call ?? null;

  const patchCall: ToolCalls["patch"] = (patch, { isNew }) => {
    const callId = looseLabel(patch["toolCallId"]);
    if (callId === null) return [];
    if (isNew ? ended.get(callId) === prompt : ended.has(callId)) return [];
    const current = get(callId);
    const call = patchToolCall(current ?? newToolCall(callId, limit), patch, redactor);
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
    release() {
      const waiting = [...open.values()].filter(
        (each) => unreported(each) >= limit * MIN_UNREPORTED,
      );
      return waiting.flatMap(({ call }) => whole(call));
    },
    get isHolding() {
      return [...open.values()].some((each) => unreported(each) >= limit * MIN_UNREPORTED);
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

/** Whether the two differ in nothing but the output of their terminals. */
function isOnlyOutput(before: ToolCall, after: ToolCall): boolean {
  const { terminals: _before, ...old } = before;
  const { terminals: _after, ...now } = after;
  return sameFields(old, now);
}

function sameFields(one: object, other: object): boolean {
  const values = new Map<string, unknown>(Object.entries(other));
  return Object.entries(one).every(([key, value]) => Object.is(values.get(key), value));
}

/** The bytes that were printed since the last report. */
function unreported({ call, reported }: OpenCall): number {
  return call === reported ? 0 : printedBytes(call.terminals) - printedBytes(reported.terminals);
}

function shownIn({ content: { output = null } }: ToolReport): readonly unknown[] {
  return Array.isArray(output) ? output : [];
}

function isCut(report: ToolReport): boolean {
  return shownIn(report).some((item) => looseObject(item)?.["omittedBytes"] !== undefined);
}
