import { looseObject, type Loose } from "../wire/loose.ts";
import { Recent } from "./recent.ts";
import { terminalsIn, toolContentOf } from "./tool-content.ts";

const MAX_CALLS = 2_000;
const MAX_TERMINALS = 1_000;
/** Characters of all terminals that no call has mentioned yet. */
const MAX_WAITING = 1024 * 1024;

interface Call {
  readonly name: unknown;
  readonly kind: unknown;
  readonly hasEnded: boolean;
}

/** A terminal that no call has mentioned yet. */
interface Waiting {
  readonly command: unknown;
  readonly cwd: unknown;
  readonly text: string;
  readonly exit: Loose | null;
}

const NOTHING: Waiting = { command: null, cwd: null, text: "", exit: null };
const ENDS: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/** Turns updates of tool calls and their terminals into the form of version 1. */
export class ToolCallUpdates {
  readonly #calls = new Recent<Call>(MAX_CALLS);
  /** The call of each terminal. */
  readonly #owners = new Recent<string>(MAX_TERMINALS);
  readonly #waiting = new Recent<Waiting>(MAX_TERMINALS);
  #waitingLength = 0;

  /** An update with all content. Null clears a field in version 2. */
  update(sessionId: string, update: Loose): readonly Loose[] {
    const { toolCallId, content, locations } = update;
    if (typeof toolCallId !== "string") return [update];
    const key = keyOf(sessionId, toolCallId);
    const before = this.#calls.get(key);
    const { status } = update;
    const isNew =
      before === undefined || (before.hasEnded && typeof status === "string" && !ENDS.has(status));
    this.#calls.set(key, {
      name: update["name"] ?? before?.name,
      kind: update["kind"] ?? before?.kind,
      hasEnded: typeof status === "string" ? ENDS.has(status) : (before?.hasEnded ?? false),
    });
    const items = Array.isArray(content) ? content.flatMap(toolContentOf) : null;
    const report: Loose = {
      ...update,
      sessionUpdate: isNew ? "tool_call" : "tool_call_update",
      ...((items !== null || content === null) && { content: items ?? [] }),
      ...(locations === null && { locations: [] }),
    };
    return this.#claim(sessionId, toolCallId, terminalsIn(items ?? []), report);
  }

  /** More content of a call. */
  chunk(sessionId: string, update: Loose): readonly Loose[] {
    const { toolCallId } = update;
    if (typeof toolCallId !== "string") return [update];
    const isKnown = this.#calls.get(keyOf(sessionId, toolCallId)) !== undefined;
    const start = isKnown ? [] : this.update(sessionId, { toolCallId });
    const items = toolContentOf(update["content"]);
    const chunks = items.map((content) => ({ ...update, content }));
    const outputs = this.#claim(sessionId, toolCallId, terminalsIn(items), null);
    return [...start, ...chunks, ...outputs];
  }

  /** Output or the end of a terminal, already decoded. */
  terminal(sessionId: string, update: Loose): readonly Loose[] {
    const { terminalId, _meta } = update;
    if (typeof terminalId !== "string") return [update];
    const key = keyOf(sessionId, terminalId);
    const owner = this.#owners.get(key) ?? (this.#calls.get(key) && terminalId);
    if (owner !== undefined) {
      return [{ sessionUpdate: "tool_call_update", toolCallId: owner, _meta }];
    }
    const before = this.#waiting.get(key) ?? NOTHING;
    const meta = looseObject(_meta);
    const output = looseObject(meta?.["terminal_output"]);
    const { data } = output ?? {};
    const earlier = output?.["replaces"] === true ? "" : before.text;
    const waiting = {
      command: update["command"] ?? before.command,
      cwd: update["cwd"] ?? before.cwd,
      text: typeof data === "string" ? earlier + data : before.text,
      exit: looseObject(meta?.["terminal_exit"]) ?? before.exit,
    };
    this.#waiting.set(key, waiting);
    this.#waitingLength += waiting.text.length - before.text.length;
    // It still says that the agent is alive.
    return this.#waitingLength > MAX_WAITING ? this.#ownCall(sessionId, terminalId) : [update];
  }

  /** Terminals that no call has mentioned become calls of their own at the end of a open. */
  endPrompt(sessionId: string): readonly Loose[] {
    return this.#waiting
      .keys()
      .filter((key) => key.startsWith(`${sessionId} `))
      .flatMap((key) => this.#ownCall(sessionId, key.slice(sessionId.length + 1)));
  }

  /** The tool call of a permission request, with the name that only its first update had. */
  subject(sessionId: string, toolCall: Loose): Loose {
    const { toolCallId, content } = toolCall;
    const known =
      typeof toolCallId === "string" ? this.#calls.get(keyOf(sessionId, toolCallId)) : undefined;
    return {
      ...toolCall,
      name: toolCall["name"] ?? known?.name,
      kind: toolCall["kind"] ?? known?.kind,
      ...(Array.isArray(content) && { content: content.flatMap(toolContentOf) }),
    };
  }

  /**
   * Gives a call its terminals, with the output that came before. The first one's output is part of the report, which
   * may end the call.
   */
  #claim(
    sessionId: string,
    toolCallId: string,
    terminalIds: readonly string[],
    report: Loose | null,
  ): readonly Loose[] {
    const outputs = terminalIds.flatMap((terminalId) => {
      const key = keyOf(sessionId, terminalId);
      this.#owners.set(key, toolCallId);
      const waiting = this.#waiting.take(key);
      this.#waitingLength -= waiting?.text.length ?? 0;
      return waiting === undefined ? [] : [metaOf(terminalId, waiting)];
    });
    const alone = outputs.map((_meta) => ({
      sessionUpdate: "tool_call_update",
      toolCallId,
      _meta,
    }));
    if (report === null) return alone;
    const [first] = outputs;
    if (first === undefined) return [report];
    return [...alone.slice(1), { ...report, _meta: { ...looseObject(report["_meta"]), ...first } }];
  }

  #ownCall(sessionId: string, terminalId: string): readonly Loose[] {
    const waiting = this.#waiting.get(keyOf(sessionId, terminalId)) ?? NOTHING;
    const { command, cwd, exit } = waiting;
    return this.update(sessionId, {
      toolCallId: `terminal ${terminalId}`,
      title: command ?? "Terminal",
      kind: "execute",
      status: exit === null ? "in_progress" : "completed",
      rawInput: { command, cwd },
      content: [{ type: "terminal", terminalId }],
    });
  }
}

function metaOf(terminalId: string, { text, exit }: Waiting): Loose {
  return {
    ...(text !== "" && { terminal_output: { terminal_id: terminalId, data: text } }),
    ...(exit !== null && { terminal_exit: exit }),
  };
}

function keyOf(sessionId: string, id: string): string {
  return `${sessionId} ${id}`;
}
