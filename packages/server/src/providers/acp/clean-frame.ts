import { isObject } from "../../domain/json.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { looseObject, type Loose } from "./wire/loose.ts";
import type { Frame } from "./wire/parse-frame.ts";

/** Removes secrets from a message of an agent, before anything is read from it. */
export function createFrameCleaner(redactor: Redactor): (frame: Frame) => Frame {
  const clean = (value: unknown): unknown => keepIds(value, redactor.json(value));
  return (frame) => {
    switch (frame.frame) {
      case "request":
        return { ...frame, params: clean(withoutTellingOptions(frame.params, redactor)) };
      case "notification":
        return { ...frame, params: clean(frame.params) };
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
