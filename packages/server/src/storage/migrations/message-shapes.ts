import { isObject } from "../../domain/json.ts";

/** The part of a message that migration 0010 changes. */
export interface MessageShape {
  readonly role: string;
  /** JSON text. */
  readonly content: string;
}

const WORK: ReadonlySet<string> = new Set(["plan", "tool"]);
const TEXT: ReadonlySet<string> = new Set(["text", "thought"]);
/** `partial` as the last field of the object. */
const PARTIAL_AT_END = /,"partial":(?:true|false)(?=\s*\}\s*$)/u;

/** The form since 0010: plans and tool calls have the role `system`, and a text has the field `partial`. */
export function upgraded({ role, content }: MessageShape, complete: boolean): MessageShape {
  const parsed = contentOf(content);
  if (parsed === null) return { role, content };
  if (WORK.has(parsed.type)) return { role: role === "agent" ? "system" : role, content };
  if (!TEXT.has(parsed.type)) return { role, content };
  return { role, content: withPartial(content, parsed, !complete) };
}

/** The form that Holdfast 0.1 stored. */
export function downgraded({ role, content }: MessageShape): MessageShape {
  const parsed = contentOf(content);
  if (parsed === null) return { role, content };
  if (WORK.has(parsed.type)) return { role: role === "system" ? "agent" : role, content };
  if (!TEXT.has(parsed.type) || !("partial" in parsed)) return { role, content };
  if (PARTIAL_AT_END.test(content)) return { role, content: content.replace(PARTIAL_AT_END, "") };
  const { partial: _, ...rest } = parsed;
  return { role, content: JSON.stringify(rest) };
}

export function isSameShape(one: MessageShape, other: MessageShape): boolean {
  return one.role === other.role && one.content === other.content;
}

type Content = { readonly type: string; readonly partial?: unknown };

/** Adds the field and leaves the rest of the text unchanged. */
function withPartial(text: string, parsed: Content, partial: boolean): string {
  if (parsed.partial === partial) return text;
  if ("partial" in parsed) {
    const { partial: _, ...rest } = parsed;
    return JSON.stringify({ ...rest, partial });
  }
  const end = text.lastIndexOf("}");
  return `${text.slice(0, end)},"partial":${partial}${text.slice(end)}`;
}

/** Null if the text is not the content of a message. It then stays unchanged. */
export function contentOf(text: string): Content | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isContent(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isContent(value: unknown): value is Content {
  return isObject(value) && typeof value["type"] === "string";
}
