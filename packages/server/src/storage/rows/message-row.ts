import type { JsonObject } from "../../domain/json.ts";
import { ROLES, withPartial, type Message, type MessageContent } from "../../domain/message.ts";
import { checkTimes, oneOf, parseObject, UnreadableRow } from "./parse.ts";
import type { MessageRow } from "../tables.ts";

export function fromMessageRow(row: MessageRow): Message {
  checkTimes(row, ["timestamp"]);
  return {
    id: row.id,
    sessionId: row.sessionId,
    runId: row.runId,
    seq: row.seq,
    role: oneOf(ROLES, "role", row.role),
    content: parseContent(row.content),
    complete: row.complete === 1,
    at: row.timestamp,
  };
}

export function parseContent(text: string): MessageContent {
  const content = parseObject("content", text);
  if (!isContent(content)) throw new UnreadableRow("content has no type");
  return content;
}

function isContent(content: JsonObject): content is MessageContent {
  return typeof content["type"] === "string";
}

/** The stored form of a content. */
export function contentText(content: MessageContent, complete: boolean): string {
  return JSON.stringify(withPartial(content, complete));
}
