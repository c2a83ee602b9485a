import { cleanText } from "../../../domain/clean-text.ts";
import type { MessageContent } from "../../../domain/message.ts";
import { keepText } from "../wire/kept.ts";
import { looseLabel, looseNumber, looseObject, looseText, type Loose } from "../wire/loose.ts";

/** Images and the like that are longer in Base64 are left out: the message would be too large to store. */
const MAX_DATA_BYTES = 640 * 1024;
const MAX_URI_LENGTH = 4_000;

/** The text of a `text` block; null for every other block. */
export function textOfBlock(block: unknown): string | null {
  const content = looseObject(block);
  return content?.["type"] === "text" && typeof content["text"] === "string"
    ? content["text"]
    : null;
}

/** What an agent shows in a block, as a message can hold it; null when it cannot be understood. */
export function contentOfBlock(block: unknown, room = MAX_DATA_BYTES): MessageContent | null {
  const content = looseObject(block);
  switch (content?.["type"]) {
    case "text": {
      const text = looseText(content["text"]);
      return text === null ? null : { type: "text", text: keepText(text, room) };
    }
    case "image":
    case "audio":
      return mediaContent(content["type"], content, room);
    case "resource_link":
      return linkContent(content);
    case "resource":
      return resourceContent(looseObject(content["resource"]), room);
    default:
      return null;
  }
}

/** The same in less room. */
export function fitContent(content: MessageContent, room: number): MessageContent {
  const { text, data, ...rest } = content;
  return {
    ...rest,
    ...(typeof text === "string" ? { text: keepText(text, room) } : {}),
    ...dataOf(data, room),
  };
}

function mediaContent(type: "image" | "audio", media: Loose, room: number): MessageContent | null {
  const uri = looseLabel(media["uri"], MAX_URI_LENGTH);
  const data = dataOf(media["data"], room);
  if (uri === null && data === null) return null;
  return {
    type,
    mimeType: looseLabel(media["mimeType"]) ?? "application/octet-stream",
    ...(uri === null ? {} : { uri }),
    ...data,
  };
}

function linkContent(link: Loose): MessageContent | null {
  const uri = looseLabel(link["uri"], MAX_URI_LENGTH);
  if (uri === null) return null;
  const title = looseLabel(link["title"]);
  const description = looseLabel(link["description"], 2_000);
  const mimeType = looseLabel(link["mimeType"]);
  const size = looseNumber(link["size"]);
  return {
    type: "link",
    uri,
    name: looseLabel(link["name"]) ?? uri,
    ...(title === null ? {} : { title }),
    ...(description === null ? {} : { description }),
    ...(mimeType === null ? {} : { mimeType }),
    ...(size === null ? {} : { size }),
  };
}

function resourceContent(resource: Loose | null, room: number): MessageContent | null {
  const uri = looseLabel(resource?.["uri"], MAX_URI_LENGTH);
  if (resource === null || uri === null) return null;
  const mimeType = looseLabel(resource["mimeType"]);
  const text = looseText(resource["text"]);
  return {
    type: "resource",
    uri,
    ...(mimeType === null ? {} : { mimeType }),
    ...(text === null ? dataOf(resource["blob"], room) : { text: keepText(text, room) }),
  };
}

function dataOf(data: unknown, room: number): { data: string } | { leftOut: number } | null {
  if (typeof data !== "string" || data === "") return null;
  return data.length <= room ? { data: cleanText(data) } : { leftOut: data.length };
}
