import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { MessageContent } from "../../domain/message.ts";
import type { Capabilities } from "./capabilities.ts";
import { looseText } from "./wire/loose.ts";

type Takes = Pick<Capabilities, "image" | "audio" | "embeddedContext">;

/** Parts of a message in the protocol's form, and as text where the agent takes nothing better. */
export function promptBlocks(
  parts: readonly MessageContent[],
  takes: Takes,
): readonly ContentBlock[] {
  return parts.map((part) => blockOf(part, takes));
}

function blockOf(part: MessageContent, takes: Takes): ContentBlock {
  switch (part.type) {
    case "image":
    case "audio":
      return mediaBlock(part, takes);
    case "link":
    case "resource_link":
      return linkBlock(part);
    case "resource":
      return resourceBlock(part, takes);
    default:
      return textBlock(looseText(part["text"]) ?? JSON.stringify(part));
  }
}

function mediaBlock(part: MessageContent, takes: Takes): ContentBlock {
  const type = part.type === "image" ? "image" : "audio";
  const data = looseText(part["data"]);
  const mimeType = looseText(part["mimeType"]) ?? "application/octet-stream";
  const uri = looseText(part["uri"]);
  if (data === null || !takes[type]) {
    const where = uri === null ? "" : `: ${uri}`;
    return textBlock(`[${type} of type ${mimeType}, which this agent does not take${where}]`);
  }
  return type === "image"
    ? { type, data, mimeType, ...(uri === null ? {} : { uri }) }
    : { type, data, mimeType };
}

function linkBlock(part: MessageContent): ContentBlock {
  const uri = looseText(part["uri"]);
  if (uri === null) return textBlock(JSON.stringify(part));
  const mimeType = looseText(part["mimeType"]);
  const description = looseText(part["description"]);
  return {
    type: "resource_link",
    uri,
    name: looseText(part["name"]) ?? uri,
    ...(mimeType === null ? {} : { mimeType }),
    ...(description === null ? {} : { description }),
  };
}

function resourceBlock(part: MessageContent, { embeddedContext }: Takes): ContentBlock {
  const uri = looseText(part["uri"]);
  const text = looseText(part["text"]);
  const blob = looseText(part["data"]);
  const type = looseText(part["mimeType"]);
  if (uri === null) return textBlock(text ?? JSON.stringify(part));
  const mimeType = type === null ? {} : { mimeType: type };
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
