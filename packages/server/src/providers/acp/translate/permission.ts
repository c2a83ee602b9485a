import { createHash, randomUUID } from "node:crypto";
import { cleanJson, cleanText } from "../../../domain/clean-text.ts";
import type { Json } from "../../../domain/json.ts";
import type { PermissionOption, PermissionRequest } from "../../provider.ts";
import { keepJson } from "../wire/kept.ts";
import { looseLabel, looseList, looseObject, type Loose } from "../wire/loose.ts";
import { toolNameOf, type ToolCall } from "./tool-call.ts";

const MAX_OPTIONS = 50;

/** The tool call a `session/request_permission` is about; null when it names none. */
export function toolCallOf(params: unknown): Loose | null {
  const request = looseObject(params);
  return (
    looseObject(request?.["toolCall"]) ??
    looseObject(looseObject(request?.["subject"])?.["toolCall"])
  );
}

/** What is asked, as it is shown and stored; null when nobody could answer it. `call` is all that is known of the call. */
export function parsePermission(params: unknown, call: ToolCall | null): PermissionRequest | null {
  const request = looseObject(params);
  const options = parseOptions(request?.["options"]);
  if (request === null || options.length === 0) return null;
  const asked = toolCallOf(params);
  const locations = locationsOf(call);
  const title =
    looseLabel(request["title"], 2_000) ?? looseLabel(asked?.["title"], 2_000) ?? call?.title;
  return {
    title: title ?? call?.name ?? call?.kind ?? "The agent asks for permission",
    toolCallId: call === null || call.callId === "" ? null : call.callId,
    kind: call?.kind ?? null,
    input: isTelling(asked?.["rawInput"]) ? keepJson(asked?.["rawInput"]) : (call?.input ?? null),
    options,
    ...(typeof call?.name === "string" && { tool: call.name }),
    ...(locations.length > 0 && { locations }),
  };
}

/** The files it says it is about, besides its input. */
function locationsOf(call: ToolCall | null): readonly string[] {
  const shown = call?.items.flatMap((item) => (item.item === "diff" ? [item.path] : [])) ?? [];
  const told = call?.locations.map(({ path }) => path) ?? [];
  return [...new Set([...told, ...shown])];
}

/**
 * Equal for the same question asked again, by whichever process: tool and input count, not the ids of this call and
 * this session. Where an agent gives no input, what it shows of the call stands in. What cannot be read equals nothing.
 */
export function fingerprintOf(params: unknown): string {
  const request = looseObject(params);
  const asked = toolCallOf(params) ?? {};
  const input = isTelling(asked["rawInput"])
    ? asked["rawInput"]
    : {
        title: asked["title"] ?? request?.["title"] ?? null,
        content: asked["content"] ?? null,
        locations: asked["locations"] ?? null,
      };
  const cleaned = cleanJson({
    kind: asked["kind"] ?? null,
    name: toolNameOf(asked),
    input,
  });
  const volatile = new Set(
    [asked["toolCallId"], request?.["sessionId"]].filter((id) => typeof id === "string"),
  );
  return createHash("sha256")
    .update(cleaned.ok ? canonical(cleaned.value, volatile) : randomUUID())
    .digest("hex");
}

/** An empty input is the same for every question of a tool, so it tells nothing. */
function isTelling(input: unknown): boolean {
  if (typeof input !== "object") return input !== undefined;
  return input !== null && Object.keys(input).length > 0;
}

function canonical(json: Json, volatile: ReadonlySet<string>): string {
  if (typeof json === "string") return volatile.has(json) ? '""' : JSON.stringify(json);
  if (json === null || typeof json !== "object") return JSON.stringify(json);
  if (isList(json)) return `[${json.map((item) => canonical(item, volatile)).join(",")}]`;
  const entries = Object.entries(json)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, volatile)}`);
  return `{${entries.join(",")}}`;
}

function isList(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}

/** An option whose id is missing, or would not come back from the database as it was, cannot be chosen. */
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
