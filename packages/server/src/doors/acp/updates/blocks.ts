import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { isObject } from "@holdfast/client";
import type { MessageContent, SendMessageRequest } from "@holdfast/protocol";
import { textOf } from "../../text-of.ts";

type Part = NonNullable<SendMessageRequest["content"]>[number];
type Loose = Readonly<Record<string, unknown>>;

/** The parts of a message, from the blocks of a prompt. */
export function toParts(blocks: readonly ContentBlock[]): Part[] {
  return blocks.map(toPart);
}

function toPart(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio": {
      const { data, mimeType } = block;
      const uri = block.type === "image" ? block.uri : null;
      return { type: block.type, data, mimeType, ...present({ uri }) };
    }
    case "resource_link": {
      const { uri, name, title, description, mimeType, size } = block;
      return { type: "link", uri, name, ...present({ title, description, mimeType, size }) };
    }
    case "resource": {
      const { resource } = block;
      const content = "text" in resource ? { text: resource.text } : { data: resource.blob };
      const { uri, mimeType } = resource;
      return { type: "resource", uri, ...content, ...present({ mimeType }) };
    }
    default:
      return block satisfies never;
  }
}

/** The blocks of a message; content of an unknown type becomes text. */
export function toBlocks(content: MessageContent): ContentBlock[] {
  const { parts } = content as Loose;
  if (content.type !== "parts" || !Array.isArray(parts)) return [toBlock(content)];
  return parts.filter(isObject).map(toBlock);
}

export function toBlock(part: Loose): ContentBlock {
  const uri = textOf(part["uri"]);
  const data = textOf(part["data"]);
  const text = textOf(part["text"]);
  const mimeType = textOf(part["mimeType"]);
  switch (part["type"]) {
    case "image":
    case "audio": {
      const type = part["type"];
      const media = { data: data ?? "", mimeType: mimeType ?? "application/octet-stream" };
      if (data !== null)
        return type === "image" ? { type, ...media, ...present({ uri }) } : { type, ...media };
      return textBlock(`[${type}${uri === null ? "" : `: ${uri}`}, too large to keep]`);
    }
    case "link":
    case "resource_link":
      if (uri === null) break;
      return {
        type: "resource_link",
        uri,
        name: textOf(part["name"]) ?? uri,
        ...present({ title: textOf(part["title"]), mimeType }),
      };
    case "resource":
      if (uri === null) break;
      if (text !== null)
        return { type: "resource", resource: { uri, text, ...present({ mimeType }) } };
      if (data !== null)
        return { type: "resource", resource: { uri, blob: data, ...present({ mimeType }) } };
      return { type: "resource_link", uri, name: uri };
    default:
      break;
  }
  return textBlock(text ?? JSON.stringify(part));
}

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** The fields that have a value. */
export function present<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: NonNullable<Fields[Key]> };
export function present(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
