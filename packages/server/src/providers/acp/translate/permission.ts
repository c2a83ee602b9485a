import { createHash, randomUUID } from "node:crypto";
import { cleanJson, cleanText } from "../../../domain/clean-text.ts";
import { canonicalJson } from "../../../domain/json.ts";
import type { PermissionOption, PermissionRequest } from "../../provider.ts";
import { looseLabel, looseList, looseObject, type Loose } from "../wire/loose.ts";
import { shortenJson } from "../wire/shorten.ts";
import { toolNameOf, type ToolCall } from "./tool-call.ts";

const MAX_OPTIONS = 50;

/** The tool call of a `session/request_permission`; null if it has none. */
export function toolCallOf(params: unknown): Loose | null {
  const request = looseObject(params);
  return (
    looseObject(request?.["toolCall"]) ??
    looseObject(looseObject(request?.["subject"])?.["toolCall"])
  );
}

/** The request as it is shown and stored; null if it has no options. `call` is the tool call as known so far. */
export function parsePermission(params: unknown, call: ToolCall | null): PermissionRequest | null {
  const request = looseObject(params);
  const options = parseOptions(request?.["options"]);
  if (request === null || options.length === 0) return null;
  const toolCall = toolCallOf(params);
  const rawInput = toolCall?.["rawInput"];
  const locations = locationsOf(call);
  const description = looseLabel(request["description"], 2_000);
  const title =
    looseLabel(request["title"], 2_000) ?? looseLabel(toolCall?.["title"], 2_000) ?? call?.title;
  return {
    title: title ?? call?.name ?? call?.kind ?? "The agent asks for permission",
    toolCallId: call?.callId || null,
    kind: call?.kind ?? null,
    input: isSpecific(rawInput) ? shortenJson(rawInput) : (call?.input ?? null),
    options,
    ...(typeof call?.name === "string" && { tool: call.name }),
    ...(locations.length > 0 && { locations }),
    ...(description !== null && { description }),
  };
}

/** The files that the call names besides its input. */
function locationsOf(call: ToolCall | null): readonly string[] {
  const diffs = call?.items.flatMap((item) => (item.item === "diff" ? [item.path] : [])) ?? [];
  const locations = call?.locations.map(({ path }) => path) ?? [];
  return [...new Set([...locations, ...diffs])];
}

/**
 * Equal if an agent asks the same question again, even from another process: it covers the tool and its input, not the
 * IDs of call and session. If there is no input, it covers title, content and locations. An unreadable request gets a
 * random value.
 */
export function fingerprintOf(params: unknown): string {
  const request = looseObject(params);
  const toolCall = toolCallOf(params) ?? {};
  const input = isSpecific(toolCall["rawInput"])
    ? toolCall["rawInput"]
    : {
        title: toolCall["title"] ?? request?.["title"] ?? null,
        content: toolCall["content"] ?? null,
        locations: toolCall["locations"] ?? null,
      };
  const clean = cleanJson({ kind: toolCall["kind"] ?? null, name: toolNameOf(toolCall), input });
  const ids = [toolCall["toolCallId"], request?.["sessionId"]];
  const volatile = new Set(ids.filter((id) => typeof id === "string"));
  return createHash("sha256")
    .update(clean.ok ? canonicalJson(clean.value, volatile) : randomUUID())
    .digest("hex");
}

/** An empty input is the same for every call of a tool. */
function isSpecific(input: unknown): boolean {
  if (typeof input !== "object") return input !== undefined;
  return input !== null && Object.keys(input).length > 0;
}

/** Leaves out options without an ID, and with an ID that the database would not return unchanged. */
function parseOptions(options: unknown): readonly PermissionOption[] {
  return looseList(options)
    .slice(0, MAX_OPTIONS)
    .flatMap((item): PermissionOption[] => {
      const option = looseObject(item);
      const optionId = option?.["optionId"];
      if (typeof optionId !== "string" || optionId === "" || cleanText(optionId) !== optionId)
        return [];
      const kind = looseLabel(option?.["kind"]) ?? "other";
      return [{ optionId, name: looseLabel(option?.["name"]) ?? optionId, kind }];
    });
}
