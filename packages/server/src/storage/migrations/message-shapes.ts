/** What 0010 changes of a message. */
export interface MessageShape {
  readonly role: string;
  /** JSON text. */
  readonly content: string;
}

const WORK: ReadonlySet<string> = new Set(["plan", "tool"]);
const TEXT: ReadonlySet<string> = new Set(["text", "thought"]);
/** `partial` where it was put last, and what closes the object behind it. */
const PARTIAL_AT_END = /,"partial":(?:true|false)(?=\s*\}\s*$)/u;

/** Since 0010: plans and tool calls are of the system, and a text says whether more of it is to come. */
export function upgraded({ role, content }: MessageShape, complete: boolean): MessageShape {
  const parsed = contentOf(content);
  if (parsed === null) return { role, content };
  if (WORK.has(parsed.type)) return { role: role === "agent" ? "system" : role, content };
  if (!TEXT.has(parsed.type)) return { role, content };
  return { role, content: withPartial(content, parsed, !complete) };
}

/** As Holdfast 0.1 would have stored it. */
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

/** The text stays as it was written but for what is added. */
function withPartial(text: string, parsed: Content, partial: boolean): string {
  if (parsed.partial === partial) return text;
  if ("partial" in parsed) {
    const { partial: _, ...rest } = parsed;
    return JSON.stringify({ ...rest, partial });
  }
  const end = text.lastIndexOf("}");
  return `${text.slice(0, end)},"partial":${partial}${text.slice(end)}`;
}

/** Null for what is no content of a message: it stays as it is, for somebody to look at. */
function contentOf(text: string): Content | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isContent(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isContent(value: unknown): value is Content {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
  );
}
