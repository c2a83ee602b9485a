import {
  methods,
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type ElicitationSchema,
  type PermissionOption,
  type PermissionOptionKind,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { HoldfastError, isObject } from "@holdfast/client";
import { elicitationAnswerSchema, type OpenSuspension } from "@holdfast/protocol";
import { choicesOf, titleOf } from "../choices.ts";
import { textOf } from "../text-of.ts";

/** Asks one editor what a session waits for. The question also stays open elsewhere: the first answer counts. */
export interface Asking {
  /** Asks what is new, and withdraws what was closed elsewhere. */
  update(open: readonly OpenSuspension[]): void;
  close(): void;
}

export interface AskingOptions {
  readonly sessionId: string;
  readonly editor: Pick<AgentContext, "request">;
  readonly capabilities: ClientCapabilities;
  readonly answer: (suspensionId: string, answer: unknown) => Promise<void>;
  /** The tool call as the editor has it; null if it has none with this ID. */
  readonly toolOf: (callId: string) => ToolCallUpdate | null;
  /** Shows a sentence in the conversation. */
  readonly say: (text: string) => void;
  readonly onError: (error: unknown) => void;
}

/** How an editor asks: returns the answer, or null if the person gave none there. */
type Ask = (signal: AbortSignal) => Promise<unknown>;

export function createAsking(options: AskingOptions): Asking {
  const asked = new Map<string, AbortController>();

  const ask = async (id: string, one: Ask, signal: AbortSignal): Promise<void> => {
    try {
      const answer = await one(signal);
      if (answer !== null && !signal.aborted) await options.answer(id, answer);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof HoldfastError && error.code === "forbidden")
        options.say(`The answer was not accepted: ${error.detail}`);
      else options.onError(error);
    }
  };

  return {
    update(open) {
      const ids = new Set(open.map(({ id }) => id));
      for (const [id, controller] of asked) {
        if (ids.has(id)) continue;
        controller.abort();
        asked.delete(id);
      }
      for (const suspension of open.filter(({ id }) => !asked.has(id))) {
        const controller = new AbortController();
        asked.set(suspension.id, controller);
        const one = askFor(suspension, options);
        if (typeof one === "string") options.say(one);
        else if (one !== null) void ask(suspension.id, one, controller.signal);
      }
    },
    close() {
      for (const controller of asked.values()) controller.abort();
      asked.clear();
    },
  };
}

/** The way to ask; a sentence if the editor cannot; null if nobody needs to know. */
function askFor(suspension: OpenSuspension, options: AskingOptions): Ask | string | null {
  const { id, kind, request } = suspension;
  const title = titleOf(suspension);
  switch (kind) {
    case "permission":
    case "budget": {
      const choices = optionsOf(suspension);
      return choices.length === 0
        ? cannotAsk(title)
        : permission(options, toolCall(suspension, options), choices);
    }
    case "login":
      return permission(options, { toolCallId: id, kind: "other", title }, optionsOf(suspension));
    case "question":
      return askQuestion(suspension, options);
    case "elicitation":
      return askElicitation(title, request, options);
    case "rate_limit":
    case "event":
    case "tool_result":
      return `Waiting: ${title}`;
    case "shutdown":
      return null;
    default:
      return kind satisfies never;
  }
}

function cannotAsk(title: string): string {
  return `Waiting for an answer that this editor cannot ask for: ${title}\n\nAnswer it on Holdfast's page or with \`holdfast inbox\`.`;
}

function toolCall({ id, request }: OpenSuspension, { toolOf }: AskingOptions): ToolCallUpdate {
  const callId = textOf(request["toolCallId"]);
  const known = callId === null ? null : toolOf(callId);
  const title = textOf(request["title"]);
  return {
    ...known,
    toolCallId: callId ?? id,
    status: "pending",
    ...(title !== null && { title }),
    ...(request["input"] != null && { rawInput: request["input"] }),
  };
}

function permission(
  { editor, sessionId }: AskingOptions,
  tool: ToolCallUpdate,
  options: readonly PermissionOption[],
): Ask {
  return async (signal) => {
    const { outcome } = await editor.request(
      methods.client.session.requestPermission,
      { sessionId, toolCall: tool, options: [...options] },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    // An editor that closes a dialog has not answered: the question stays open.
    return outcome.outcome === "selected" ? outcome.optionId : null;
  };
}

const KINDS: ReadonlySet<string> = new Set<PermissionOptionKind>([
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
]);

function optionsOf(suspension: OpenSuspension): PermissionOption[] {
  return choicesOf(suspension).map(({ id, name, kind }) => ({
    optionId: id,
    name,
    kind: kindOf(kind),
  }));
}

/** The kind only helps the editor to draw the button; an agent may have kinds of its own. */
function kindOf(kind: string | null): PermissionOptionKind {
  return isKind(kind) ? kind : "allow_once";
}

function isKind(kind: string | null): kind is PermissionOptionKind {
  return kind !== null && KINDS.has(kind);
}

/** A free question is a form with one field, or a choice where the editor has no forms. */
function askQuestion(suspension: OpenSuspension, options: AskingOptions): Ask | string {
  const title = titleOf(suspension);
  const choices = optionsOf(suspension);
  if (hasForms(options)) {
    const names = choices.map(({ name }) => name).join(", ");
    const hint = choices.length === 0 ? {} : { description: `For example: ${names}` };
    const form = elicitation(options, {
      mode: "form",
      message: title,
      requestedSchema: {
        type: "object",
        properties: { answer: { type: "string", title: "Answer", ...hint } },
        required: ["answer"],
      },
    });
    return async (signal) => {
      const answer = elicitationAnswerSchema.safeParse(await form(signal));
      const content = answer.data?.action === "accept" ? answer.data.content : undefined;
      return content?.["answer"] ?? null;
    };
  }
  if (choices.length === 0) return cannotAsk(title);
  return permission(options, { toolCallId: suspension.id, kind: "other", title }, choices);
}

function askElicitation(
  title: string,
  request: OpenSuspension["request"],
  options: AskingOptions,
): Ask | string {
  const message = textOf(request["message"]) ?? title;
  const url = textOf(request["url"]);
  const elicitationId = textOf(request["elicitationId"]);
  const toolCallId = textOf(request["toolCallId"]);
  const about = toolCallId === null ? {} : { toolCallId };
  if (request["mode"] === "url" && url !== null && elicitationId !== null)
    return options.capabilities.elicitation?.url == null
      ? cannotAsk(`${message} ${url}`)
      : elicitation(options, { mode: "url", message, url, elicitationId, ...about });
  const schema = request["schema"];
  if (!isObject(schema) || !hasForms(options)) return cannotAsk(message);
  const requestedSchema = schema as ElicitationSchema;
  return elicitation(options, { mode: "form", message, requestedSchema, ...about });
}

function hasForms({ capabilities: { elicitation } }: AskingOptions): boolean {
  return elicitation?.form != null;
}

type Elicitation = Omit<CreateElicitationRequest, "sessionId"> & Readonly<Record<string, unknown>>;

function elicitation({ editor, sessionId }: AskingOptions, fields: Elicitation): Ask {
  return async (signal) => {
    const params = { ...fields, sessionId } as CreateElicitationRequest;
    const { _meta, ...reply } = await editor.request(methods.client.elicitation.create, params, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    const answer = elicitationAnswerSchema.safeParse(reply);
    // A dialog that was closed is not an answer: the question stays open.
    return answer.success && answer.data.action !== "cancel" ? answer.data : null;
  };
}
