import { looseObject, type Loose } from "../wire/loose.ts";
import type { Frame } from "../wire/parse-frame.ts";
import { withOptions } from "./config-options.ts";
import { Messages } from "./messages.ts";
import { outgoingRequest, type OutgoingRequest } from "./requests.ts";
import { TerminalOutput } from "./terminal-output.ts";
import { ToolCallUpdates } from "./tool-calls.ts";
import { OpenPrompt } from "./open-prompt.ts";

/** Converts between version 2 of the protocol on the wire and version 1 in the rest of the server. */
export class SecondVersion {
  readonly #terminals = new TerminalOutput();
  readonly #messages = new Messages();
  readonly #calls = new ToolCallUpdates();
  #options: readonly unknown[] = [];
  #prompt: OpenPrompt | null = null;

  /** Sees every frame before it is stored or handled. */
  decode(frame: Frame): Frame {
    if (frame.frame === "result" && typeof looseObject(frame.result)?.["messageId"] === "string") {
      this.#prompt?.take();
    }
    return this.#terminals.decode(frame);
  }

  outgoing(method: string, params: unknown): OutgoingRequest {
    return outgoingRequest(method, params, this.#options);
  }

  /** The result of a request. */
  result(result: unknown): unknown {
    const fields = looseObject(result);
    return fields === null ? result : this.#learn(withOptions(fields));
  }

  /** Begins to follow the work on a prompt, which lasts until `endPrompt`. */
  beginPrompt(params: unknown): OpenPrompt {
    this.#prompt = new OpenPrompt(looseObject(params)?.["sessionId"]);
    return this.#prompt;
  }

  endPrompt(): void {
    this.#prompt = null;
  }

  /** There will be no more messages of the agent. */
  close(reason: string): void {
    this.#prompt?.fail(reason);
  }

  /** The params of a request of the agent. */
  incoming(method: string, params: unknown): unknown {
    const fields = looseObject(params);
    if (method !== "session/request_permission" || fields === null) return params;
    const { subject, title, description, ...rest } = fields;
    const toolCall = toolCallOf(looseObject(subject));
    if (toolCall === null) return { ...rest, title, description };
    const call = this.#calls.subject(idOf(fields["sessionId"]), toolCall);
    // The title of the call says more than the question, which is often the same for all calls of a kind.
    const words = [title, description].filter(
      (each) => typeof each === "string" && each !== "" && each !== call["title"],
    );
    return {
      ...rest,
      ...(typeof call["title"] === "string" ? {} : { title }),
      ...(words.length > 0 && { description: words.join("\n") }),
      toolCall: call,
    };
  }

  /** The params of the `session/update`s that one of version 2 means. Unknown ones stay as they are. */
  updates(params: unknown): readonly unknown[] {
    const fields = looseObject(params);
    const update = looseObject(fields?.["update"]);
    if (fields === null || update === null) return [params];
    return this.#convert(idOf(fields["sessionId"]), update).map((converted) => ({
      ...fields,
      update: converted,
    }));
  }

  #convert(sessionId: string, update: Loose): readonly Loose[] {
    switch (update["sessionUpdate"]) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return this.#messages.chunk(sessionId, update["sessionUpdate"], update);
      case "agent_message":
        return orAlive(this.#messages.whole(sessionId, "agent_message_chunk", update));
      case "agent_thought":
        return orAlive(this.#messages.whole(sessionId, "agent_thought_chunk", update));
      case "tool_call_update":
        return this.#calls.update(sessionId, update);
      case "tool_call_content_chunk":
        return orAlive(this.#calls.chunk(sessionId, update));
      case "terminal_update":
        return this.#calls.terminal(sessionId, update);
      case "config_option_update":
      case "available_commands_update":
        return [this.#learn(withOptions(update))];
      case "state_update":
        return this.#state(sessionId, update);
      default:
        return [update];
    }
  }

  #state(sessionId: string, update: Loose): readonly Loose[] {
    const rest = update["state"] === "idle" ? this.#calls.endPrompt(sessionId) : [];
    if (this.#prompt !== null && this.#prompt.sessionId === sessionId) this.#prompt.see(update);
    return [...rest, update];
  }

  #learn(fields: Loose): Loose {
    const { configOptions } = fields;
    if (Array.isArray(configOptions)) this.#options = configOptions;
    return fields;
  }
}

/** A command that has no call yet is asked about like the call that would run it. */
function toolCallOf(subject: Loose | null): Loose | null {
  switch (subject?.["type"]) {
    case "tool_call":
      return looseObject(subject["toolCall"]);
    case "command": {
      const { command, cwd, toolCallId } = subject;
      return { toolCallId, title: command, kind: "execute", rawInput: { command, cwd } };
    }
    default:
      return null;
  }
}

/** An update with nothing new still says that the agent is alive. */
function orAlive(updates: readonly Loose[]): readonly Loose[] {
  return updates.length > 0 ? updates : [{ sessionUpdate: "nothing_new" }];
}

/** The ID of a session, or an empty text for values that are none. */
function idOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
