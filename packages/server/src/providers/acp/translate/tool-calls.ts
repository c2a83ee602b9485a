import { sameJson } from "../../../domain/json.ts";
import type { AgentReport } from "../../provider.ts";
import { looseLabel, type Loose } from "../wire/loose.ts";
import {
  extendToolCall,
  hasEnded,
  hasInput,
  newToolCall,
  patchToolCall,
  saysResult,
  toolMessage,
  type ToolCall,
} from "./tool-call.ts";

type ToolReport = Extract<AgentReport, { report: "tool" }>;

/** The open tool calls of one agent. A call is reported as ended once, and never again after that. */
export interface ToolCalls {
  /** The call as known now; null when there is none of this id, or it has ended. */
  get(callId: unknown): ToolCall | null;
  /** `isNew`: said by a `tool_call`, which begins a call even where an older one had the same id. */
  patch(patch: Loose, options: { readonly isNew: boolean }): readonly ToolReport[];
  /**
   * The tool call of a permission request. Its input says what is asked, in words of its own with some agents: it does
   * not replace what the tool was called with.
   */
  ask(asked: Loose): readonly ToolReport[];
  extend(patch: Loose): readonly ToolReport[];
  /** Ends the calls of which everything has been said. */
  settle(): readonly ToolReport[];
  /** The prompt is over: ends all, with a status that is true. */
  endAll(how: "completed" | "cancelled" | "failed"): readonly ToolReport[];
}

interface OpenCall {
  readonly call: ToolCall;
  readonly said: ToolReport;
}

/** Beyond these the oldest is given up; no agent comes near. */
const MAX_OPEN = 200;
/** How many ended calls are remembered, so that a late word about one does not open it again. */
const MAX_ENDED = 2_000;

export function createToolCalls(): ToolCalls {
  const open = new Map<string, OpenCall>();
  /** By id, the prompt in which it ended. */
  const ended = new Map<string, number>();
  let prompt = 0;

  const end = (call: ToolCall): ToolReport => {
    open.delete(call.callId);
    ended.set(call.callId, prompt);
    const oldest = ended.size > MAX_ENDED ? ended.keys().next().value : undefined;
    if (oldest !== undefined) ended.delete(oldest);
    return report(call, true);
  };

  const isOver = (callId: string, isNew: boolean): boolean =>
    isNew ? ended.get(callId) === prompt : ended.has(callId);

  const openCalls = (): ToolCall[] => [...open.values()].map(({ call }) => call);

  const makeRoom = (): readonly ToolReport[] => {
    const oldest = open.size < MAX_OPEN ? undefined : open.values().next().value;
    return oldest === undefined ? [] : [end({ ...oldest.call, status: "unfinished" })];
  };

  /** What changes nothing is not worth a report. */
  const put = (call: ToolCall, isWhole: boolean): readonly ToolReport[] => {
    if (hasEnded(call) && isWhole) return [end(call)];
    const said = report(call, false);
    const before = open.get(call.callId)?.said;
    open.set(call.callId, { call, said });
    return before !== undefined && sameJson(before.content, said.content) ? [] : [said];
  };

  const get = (callId: unknown): ToolCall | null => {
    const id = looseLabel(callId);
    return id === null ? null : (open.get(id)?.call ?? null);
  };

  const patchCall = (patch: Loose, { isNew }: { isNew: boolean }): readonly ToolReport[] => {
    const callId = looseLabel(patch["toolCallId"]);
    if (callId === null || isOver(callId, isNew)) return [];
    const known = open.get(callId)?.call;
    const call = patchToolCall(known ?? newToolCall(callId), patch);
    const before = known === undefined ? makeRoom() : [];
    ended.delete(callId);
    return [...before, ...put(call, saysResult(patch))];
  };

  return {
    get,
    patch: patchCall,
    ask({ rawInput, ...asked }) {
      const known = get(asked["toolCallId"]);
      const patch = known !== null && hasInput(known) ? asked : { ...asked, rawInput };
      return patchCall(patch, { isNew: false });
    },
    extend(patch) {
      const known = open.get(looseLabel(patch["toolCallId"]) ?? "")?.call;
      return known === undefined ? [] : put(extendToolCall(known, patch["content"]), false);
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

function report(call: ToolCall, isEnded: boolean): ToolReport {
  return { report: "tool", callId: call.callId, content: toolMessage(call), ended: isEnded };
}
