import type { StreamEvent } from "@holdfast/client";
import type {
  Message,
  Run,
  SendMessageReply,
  Session,
  Suspension,
  WholeSession,
} from "@holdfast/protocol";
import * as samples from "../../../http/testing/samples.ts";
import { toWireRun } from "../../../http/wire/run-wire.ts";
import {
  toWireMessage,
  toWireSent,
  toWireSession,
  toWireSuspension,
  toWireWholeSession,
} from "../../../http/wire/to-wire.ts";

/** Objects of the API: session `s1`, its run `r1` on the message `m1`. */
export const session = (more: Partial<Session> = {}): Session => ({
  ...toWireSession(samples.session()),
  ...more,
});

export const wholeSession = (more: Partial<WholeSession> = {}): WholeSession => ({
  ...toWireWholeSession({
    session: samples.session(),
    repo: samples.REPO,
    messages: [],
    rewoundRuns: new Set<string>(),
    earlier: 0,
    feedAfter: 0,
  }),
  ...more,
});

export const run = (more: Partial<Run> = {}): Run => ({ ...toWireRun(samples.run()), ...more });

export const sent = (more: Partial<SendMessageReply> = {}): SendMessageReply => ({
  ...toWireSent(samples.sent()),
  ...more,
});

/** A message of the agent; a text by default. */
export const message = (more: Partial<Message> = {}): Message => ({
  ...toWireMessage(samples.message()),
  id: "a1",
  role: more.content?.type === "tool" || more.content?.type === "plan" ? "system" : "agent",
  ...more,
});

export const suspension = (more: Partial<Suspension> = {}): Suspension => ({
  ...toWireSuspension(samples.suspension()),
  request: {
    title: "Run rm",
    toolCallId: "t1",
    kind: "execute",
    input: { command: "rm -r build" },
    options: [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
  },
  ...more,
});

export const tool = (status: string, more: Record<string, unknown> = {}): Message["content"] => ({
  type: "tool",
  tool: "shell",
  args: null,
  result: null,
  callId: "t1",
  title: "npm test",
  kind: "execute",
  status,
  ...more,
});

export const shown = (data: Message): StreamEvent => ({ id: null, type: "message", data });
export const delta = (messageId: string, text: string): StreamEvent => ({
  id: null,
  type: "delta",
  data: { messageId, text },
});
export const ran = (data: Run): StreamEvent => ({ id: null, type: "run", data });
export const asked = (data: Suspension): StreamEvent => ({ id: null, type: "suspension", data });
