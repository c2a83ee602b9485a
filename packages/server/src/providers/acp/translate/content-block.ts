import { cleanText } from "../../../domain/clean-text.ts";
import type { MessageContent } from "../../../domain/message.ts";
import {
  looseLabel,
  looseNumber,
  looseObject,
  looseText,
  present,
  type Loose,
} from "../wire/loose.ts";
import { shortenText } from "../wire/shorten.ts";

/** Media that are longer in Base64 are left out: the message would be too large to store. */
const MAX_DATA_BYTES = 640 * 1024;
const MAX_URI_LENGTH = 4_000;

/** The text of a `text` block; null for other blocks. */
export function textOfBlock(block: unknown): string | null {
  const content = looseObject(block);
  return content?.["type"] === "text" && typeof content["text"] === "string"
    ? content["text"]
    : null;
}

/** Converts a content block; null if it cannot be understood. */
export function contentOfBlock(block: unknown, room = MAX_DATA_BYTES): MessageContent | null {
  const content = looseObject(block);
  switch (content?.["type"]) {
    case "text": {
      const text = looseText(content["text"]);
      return text === null ? null : { type: "text", text: shortenText(text, room) };
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

/** Shortens converted content. */
export function fitContent(content: MessageContent, room: number): MessageContent {
  const { text, data, ...rest } = content;
  return {
    ...rest,
    ...(typeof text === "string" ? { text: shortenText(text, room) } : {}),
    ...fitData(data, room),
  };
}

function mediaContent(type: "image" | "audio", media: Loose, room: number): MessageContent | null {
  const uri = looseLabel(media["uri"], MAX_URI_LENGTH);
  const data = fitData(media["data"], room);
  if (uri === null && data === null) return null;
  const mimeType = looseLabel(media["mimeType"]) ?? "application/octet-stream";
  return { type, mimeType, ...present({ uri }), ...data };
}

function linkContent(link: Loose): MessageContent | null {
  const uri = looseLabel(link["uri"], MAX_URI_LENGTH);
  if (uri === null) return null;
  return {
    type: "link",
    uri,
    name: looseLabel(link["name"]) ?? uri,
    ...present({
      title: looseLabel(link["title"]),
      description: looseLabel(link["description"], 2_000),
      mimeType: looseLabel(link["mimeType"]),
      size: looseNumber(link["size"]),
    }),
  };
}

function resourceContent(resource: Loose | null, room: number): MessageContent | null {
  const uri = looseLabel(resource?.["uri"], MAX_URI_LENGTH);
  if (resource === null || uri === null) return null;
  const text = looseText(resource["text"]);
  return {
    type: "resource",
    uri,
    ...present({ mimeType: looseLabel(resource["mimeType"]) }),
    ...(text === null ? fitData(resource["blob"], room) : { text: shortenText(text, room) }),
  };
}

function fitData(data: unknown, room: number): { data: string } | { leftOut: number } | null {
  if (typeof data !== "string" || data === "") return null;
  return data.length <= room ? { data: cleanText(data) } : { leftOut: data.length };
}
