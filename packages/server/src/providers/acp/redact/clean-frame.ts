import { isObject } from "../../../domain/json.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { looseObject, type Loose } from "../wire/loose.ts";
import type { Frame } from "../wire/parse-frame.ts";

/** Removes secrets from a message of an agent, before anything is read from it. */
export function createFrameCleaner(redactor: Redactor): (frame: Frame) => Frame {
  const clean = (value: unknown): unknown => keepIds(value, redactor.json(value));
  return (frame) => {
    switch (frame.frame) {
      case "request":
        return { ...frame, params: clean(withoutTellingOptions(frame.params, redactor)) };
      case "notification":
        return isPlainText(frame.params) ? frame : { ...frame, params: clean(frame.params) };
      case "result":
        return { ...frame, result: clean(frame.result) };
      case "error":
        return { ...frame, error: redactor.json(frame.error) };
      case "unreadable":
      case "noise":
        return frame;
      default:
        return frame satisfies never;
    }
  };
}

/**
 * Whether these are the params of a chunk of text, and nothing else: most messages are. The translator removes secrets
 * from streamed text, so nothing needs to be done here.
 */
function isPlainText(params: unknown): boolean {
  if (!isObject(params)) return false;
  const { update } = params;
  if (!isObject(update) || !hasOnly(params, PARAMS)) return false;
  const { sessionUpdate, content } = update;
  if (sessionUpdate !== "agent_message_chunk" && sessionUpdate !== "agent_thought_chunk")
    return false;
  return (
    isObject(content) &&
    content["type"] === "text" &&
    hasOnly(content, CONTENT) &&
    hasOnly(update, UPDATE)
  );
}

const PARAMS: ReadonlySet<string> = new Set(["sessionId", "update"]);
const UPDATE: ReadonlySet<string> = new Set(["sessionUpdate", "content"]);
const CONTENT: ReadonlySet<string> = new Set(["type", "text"]);

function hasOnly(fields: Loose, names: ReadonlySet<string>): boolean {
  for (const name in fields) if (!names.has(name)) return false;
  return true;
}

/** The IDs by which messages are matched stay as they are. They are not stored: see `AcpAgent.resumeData`. */
function keepIds(original: unknown, clean: unknown): unknown {
  if (clean === original || !isObject(original) || !isObject(clean)) return clean;
  const { sessionId, requestId } = original;
  return {
    ...clean,
    ...(typeof sessionId === "string" && { sessionId }),
    ...(typeof requestId === "string" && { requestId }),
  };
}

/** An option is answered by its ID, so an option with a secret in its ID cannot be offered. */
function withoutTellingOptions(params: unknown, redactor: Redactor): unknown {
  const options = looseObject(params)?.["options"];
  if (!isObject(params) || !Array.isArray(options)) return params;
  const isTelling = (option: Loose | null): boolean =>
    option !== null && redactor.json(option["optionId"]) !== option["optionId"];
  return { ...params, options: options.filter((option) => !isTelling(looseObject(option))) };
}
