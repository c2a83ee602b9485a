import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { MessageContent } from "../../domain/message.ts";
import type { Capabilities } from "./capabilities.ts";
import { looseText, present } from "./wire/loose.ts";

type Support = Pick<Capabilities, "image" | "audio" | "embeddedContext">;

/** Converts the parts of a message into content blocks. Types that the agent does not support become text. */
export function promptBlocks(
  parts: readonly MessageContent[],
  support: Support,
): readonly ContentBlock[] {
  return parts.map((part) => blockOf(part, support));
}

function blockOf(part: MessageContent, support: Support): ContentBlock {
  switch (part.type) {
    case "image":
    case "audio":
      return mediaBlock(part, support);
    case "link":
    case "resource_link":
      return linkBlock(part);
    case "resource":
      return resourceBlock(part, support);
    default:
      return textBlock(looseText(part["text"]) ?? JSON.stringify(part));
  }
}

function mediaBlock(part: MessageContent, support: Support): ContentBlock {
  const type = part.type === "image" ? "image" : "audio";
  const data = looseText(part["data"]);
  const mimeType = looseText(part["mimeType"]) ?? "application/octet-stream";
  const uri = looseText(part["uri"]);
  if (data === null || !support[type]) {
    const where = uri === null ? "" : `: ${uri}`;
    return textBlock(`[${type} of type ${mimeType}, which this agent does not take${where}]`);
  }
  return type === "image"
    ? { type, data, mimeType, ...present({ uri }) }
    : { type, data, mimeType };
}

function linkBlock(part: MessageContent): ContentBlock {
  const uri = looseText(part["uri"]);
  if (uri === null) return textBlock(JSON.stringify(part));
  return {
    type: "resource_link",
    uri,
    name: looseText(part["name"]) ?? uri,
    ...present({
      mimeType: looseText(part["mimeType"]),
      description: looseText(part["description"]),
    }),
  };
}

function resourceBlock(part: MessageContent, { embeddedContext }: Support): ContentBlock {
  const uri = looseText(part["uri"]);
  const text = looseText(part["text"]);
  const blob = looseText(part["data"]);
  if (uri === null) return textBlock(text ?? JSON.stringify(part));
  const mimeType = present({ mimeType: looseText(part["mimeType"]) });
  if (embeddedContext && text !== null) {
    return { type: "resource", resource: { uri, text, ...mimeType } };
  }
  if (embeddedContext && blob !== null) {
    return { type: "resource", resource: { uri, blob, ...mimeType } };
  }
  return text === null ? linkBlock(part) : textBlock(`${uri}\n\n${text}`);
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}
