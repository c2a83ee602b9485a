import type * as wire from "@holdfast/protocol";
import type { FastifyReply } from "fastify";
import type { MessageFormat, MessagePage, SessionJson } from "../../runtime/runtime.ts";
import { toWireAround, toWireDecision, toWireMessage } from "./to-wire.ts";

/** Messages joined by the store, which are sent without being parsed. */
export const MESSAGE_JSON: MessageFormat = {
  separator: ",",
  properties: {
    id: "id",
    sessionId: "sessionId",
    runId: "runId",
    seq: "seq",
    role: "role",
    content: "content",
    complete: "complete",
    timestamp: "time",
  } satisfies Record<keyof wire.Message, MessageFormat["properties"][string]>,
  of: toWireMessage,
};

export function messagePageJson({ messages, decisions, nextAfter }: MessagePage): Buffer {
  const around: Omit<wire.MessagesReply, "messages"> = {
    decisions: decisions.map(toWireDecision),
    nextAfter,
  };
  return Buffer.concat([bytes(`{"messages":[`), messages, bytes(`],${membersOf(around)}}`)]);
}

export function sessionJson({ messages, ...around }: SessionJson): Buffer {
  const decisions = around.decisions?.map(toWireDecision);
  const parts = messages.flatMap((part, index) => (index === 0 ? [part] : [bytes(","), part]));
  const members = membersOf({ ...toWireAround(around), ...(decisions && { decisions }) });
  return Buffer.concat([bytes(`{${members},"messages":[`), ...parts, bytes("]}")]);
}

/** Without the braces around it. */
function membersOf(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}

const bytes = (text: string): Buffer => Buffer.from(text);

export function sendJson(reply: FastifyReply, json: Buffer): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(json);
}
