import { isObject } from "@holdfast/client";
import type { Provider } from "@holdfast/protocol";

/** An image or a text file that goes with a message. */
export type Attachment = {
  /** Only for the page. */
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
} & (
  | { readonly kind: "image"; /** Base64. */ readonly data: string }
  | { readonly kind: "file"; readonly text: string }
);

/** The server takes messages of 1 MiB; the rest is for the text. */
export const MOST_TOGETHER = 900_000;

export function lengthOf(attachments: readonly Attachment[]): number {
  return attachments.reduce(
    (sum, each) => sum + (each.kind === "image" ? each.data.length : each.text.length),
    0,
  );
}

type Part = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The parts of a message: its words, then what goes with it. */
export function toParts(text: string, attachments: readonly Attachment[]): Part[] {
  return [...(text.trim() === "" ? [] : [{ type: "text", text }]), ...attachments.map(toPart)];
}

function toPart(attachment: Attachment): Part {
  const { kind, name, mimeType } = attachment;
  return kind === "image"
    ? { type: "image", mimeType, name, data: attachment.data }
    : { type: "resource", uri: name, name, mimeType, text: attachment.text };
}

/** Whether the agent takes images; null if no agent of this kind has told yet. */
export function takesImages(about: Pick<Provider, "capabilities"> | null): boolean | null {
  const agent = about?.capabilities?.["agentCapabilities"];
  if (!isObject(agent)) return null;
  const prompt = agent["promptCapabilities"];
  return isObject(prompt) && prompt["image"] === true;
}

/** Stored attachments; invalid ones are left out. */
export function toAttachments(stored: unknown): readonly Attachment[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((each: unknown): Attachment[] => {
    if (!isObject(each)) return [];
    const { kind, id, name, mimeType, data, text } = each;
    if (typeof id !== "string" || typeof name !== "string" || typeof mimeType !== "string")
      return [];
    if (kind === "image" && typeof data === "string") return [{ kind, id, name, mimeType, data }];
    if (kind === "file" && typeof text === "string") return [{ kind, id, name, mimeType, text }];
    return [];
  });
}
