import { createHash } from "node:crypto";
import { cleanJson } from "../../../domain/clean-text.ts";
import { parseForm } from "../../../domain/elicitation/form.ts";
import { canonicalJson, isObject, type JsonObject } from "../../../domain/json.ts";
import type { ElicitationRequest } from "../../provider.ts";
import { looseLabel, looseObject, looseText, type Loose } from "../wire/loose.ts";
import { shortenText } from "../wire/shorten.ts";

export type ParsedElicitation =
  | { readonly ok: true; readonly request: ElicitationRequest; readonly fingerprint: string | null }
  /** `problem` completes the sentence "It cannot be shown, because …". */
  | { readonly ok: false; readonly problem: string };

const MAX_MESSAGE_BYTES = 16 * 1024;
const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_URL = 8 * 1024;
const MAX_ID = 400;

/** Reads the params of an `elicitation/create`. */
export function parseElicitation(params: unknown): ParsedElicitation {
  const fields = looseObject(params);
  if (fields === null) return no("it has no fields");
  const message = shortenText(looseText(fields["message"]) ?? "", MAX_MESSAGE_BYTES).trim();
  const mode = fields["mode"] ?? "form";
  const common = {
    title: looseLabel(message.split("\n")[0]) ?? "The agent asks for input",
    message,
    toolCallId: looseLabel(fields["toolCallId"]),
  };
  switch (mode) {
    case "form":
      return parseFormMode(fields, common);
    case "url":
      return parseUrlMode(fields, common);
    default:
      return no(`its mode is neither "form" nor "url"`);
  }
}

type Common = Pick<ElicitationRequest, "title" | "message" | "toolCallId">;

function parseFormMode(fields: Loose, common: Common): ParsedElicitation {
  const clean = cleanJson(fields["requestedSchema"] ?? null);
  if (!clean.ok || !isObject(clean.value))
    return no("its schema is not an object, or nested too deep");
  const schema: JsonObject = clean.value;
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > MAX_SCHEMA_BYTES)
    return no(
      `its schema has ${bytes.toLocaleString("en")} bytes; the maximum is ${MAX_SCHEMA_BYTES.toLocaleString("en")}`,
    );
  const parsed = parseForm(schema);
  if (!parsed.ok) return no(parsed.problem);
  const volatile = [fields["toolCallId"], fields["sessionId"]];
  const ids = new Set(volatile.filter((id) => typeof id === "string"));
  const fingerprint = createHash("sha256")
    .update(canonicalJson({ message: common.message, schema }, ids))
    .digest("hex");
  return { ok: true, request: { ...common, mode: "form", schema }, fingerprint };
}

/** It has no fingerprint: a person who opened one page has not opened the next. */
function parseUrlMode(fields: Loose, common: Common): ParsedElicitation {
  const url = looseText(fields["url"]) ?? "";
  if (url.length > MAX_URL) return no("its URL is too long");
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (protocol !== "https:" && protocol !== "http:") return no("its URL is not a web address");
  const elicitationId = looseLabel(fields["elicitationId"], MAX_ID);
  if (elicitationId === null) return no("it has no ID");
  return { ok: true, request: { ...common, mode: "url", url, elicitationId }, fingerprint: null };
}

function no(problem: string): ParsedElicitation {
  return { ok: false, problem };
}
