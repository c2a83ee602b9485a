/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  readonly id: string | null;
  readonly name: string;
  readonly data: string;
}

export interface SseParser {
  /** Returns the events completed by this text. Throws when one exceeds the limit. */
  push(text: string): readonly ServerSentEvent[];
}

/** Longer than any event of a Holdfast server. */
const MAX_LENGTH = 16 * 1024 * 1024;

/** Accepts text in chunks cut anywhere. An event is complete after its blank line. */
export function createSseParser({
  onRetry = () => {},
  maxLength = MAX_LENGTH,
}: {
  /** Called with the reconnect delay the server asks for. */
  onRetry?: (ms: number) => void;
  maxLength?: number;
} = {}): SseParser {
  let line = "";
  let afterCr = false;
  let fields = { id: null as string | null, name: "", data: [] as string[], length: 0 };

  const take = (field: string, value: string): void => {
    if (field === "data") {
      fields.data.push(value);
      fields.length += value.length + 1;
    } else if (field === "event") fields.name = value;
    else if (field === "id" && !value.includes("\0")) fields.id = value === "" ? null : value;
    else if (field === "retry" && /^\d+$/u.test(value)) onRetry(Number(value));
  };

  const end = (): readonly ServerSentEvent[] => {
    const { id, name, data } = fields;
    fields = { id: null, name: "", data: [], length: 0 };
    return data.length === 0 ? [] : [{ id, name: name || "message", data: data.join("\n") }];
  };

  const read = (whole: string): readonly ServerSentEvent[] => {
    if (whole === "") return end();
    const colon = whole.indexOf(":");
    if (colon === -1) take(whole, "");
    else if (colon > 0) take(whole.slice(0, colon), whole.slice(colon + 1).replace(/^ /u, ""));
    return [];
  };

  return {
    push(text) {
      if (text === "") return [];
      const fresh = afterCr && text.startsWith("\n") ? text.slice(1) : text;
      afterCr = text.endsWith("\r");
      const lines = fresh.split(/\r\n|\n|\r/u);
      lines[0] = line + (lines[0] ?? "");
      line = lines.pop() ?? "";
      const events = lines.flatMap(read);
      if (fields.length + line.length > maxLength)
        throw new RangeError(`An event is longer than ${maxLength} characters.`);
      return events;
    },
  };
}
