import { sameJson, type Json, type JsonObject } from "../../domain/json.ts";
import { GRANTS_KEY } from "../../domain/policy/permission-grant.ts";
import { isObject } from "../../storage/rows/parse.ts";

/** The key of a session's metadata that holds what is kept of its `state.json`. */
export const KEPT_KEY = "gaiaState";

/** What a `state.json` says that a session of ours has no place for: exporting gives it back. */
export interface KeptState {
  /** Of the file, as it was imported last. */
  readonly digest: string;
  /** Its `last_updated`, which the digest leaves out. Not in states that were imported before this was kept. */
  readonly lastUpdated?: string;
  readonly fields?: KeptFields;
  /** Its history, where that is otherwise than we would write it. */
  readonly history?: readonly Json[];
  /** Of its metadata. */
  readonly metadata?: KeptFields;
}

/** Fields that the file has otherwise than we would write them. */
export type KeptFields = Readonly<Record<string, KeptField>>;

interface KeptField extends JsonObject {
  /** What we would have written. As long as we still would, the file's own counts. */
  readonly ours?: Json;
  /** Not there: neither is the field in the file. */
  readonly given?: Json;
}

/** Null for a session that was never imported, and where somebody has written over the key. */
export function keptIn(
  metadata: JsonObject,
): (Required<Omit<KeptState, "lastUpdated">> & { readonly lastUpdated: string | null }) | null {
  const kept = metadata[KEPT_KEY] ?? null;
  if (!isObject(kept)) return null;
  const { digest, lastUpdated = null, fields = {}, history = [], metadata: withheld = {} } = kept;
  if (typeof digest !== "string" || !areFields(fields) || !areFields(withheld)) return null;
  if (!isList(history)) return null;
  const isText = typeof lastUpdated === "string";
  return {
    digest,
    lastUpdated: isText ? lastUpdated : null,
    fields,
    history,
    metadata: withheld,
  };
}

/** The metadata as its owner knows it. */
export function ownMetadata(metadata: JsonObject): JsonObject {
  const { [GRANTS_KEY]: _grants, ...own } = metadata;
  const kept = keptIn(metadata);
  if (kept === null) return own;
  const { [KEPT_KEY]: _kept, ...rest } = own;
  return asGiven(rest, kept.metadata);
}

/** In which fields what is given differs from what is ours. */
export function differingFields(ours: JsonObject, given: JsonObject): KeptFields {
  const names = new Set([...Object.keys(ours), ...Object.keys(given)]);
  return Object.fromEntries(
    [...names].flatMap((name): [string, KeptField][] => {
      const field = { ...fieldOf(ours, name, "ours"), ...fieldOf(given, name, "given") };
      return isSame(ours, name, given[name]) ? [] : [[name, field]];
    }),
  );
}

/** Ours, with what was given in the fields that are as they were then. */
export function asGiven(ours: JsonObject, kept: KeptFields): JsonObject {
  const restored = new Map(Object.entries(ours));
  for (const [name, field] of Object.entries(kept)) {
    if (!isSame(ours, name, field.ours)) continue;
    if (field.given === undefined) restored.delete(name);
    else restored.set(name, field.given);
  }
  return Object.fromEntries(restored);
}

function fieldOf(fields: JsonObject, name: string, as: keyof KeptField): KeptField {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return value === undefined ? {} : { [as]: value };
}

function isSame(fields: JsonObject, name: string, value: Json | undefined): boolean {
  const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return found === undefined || value === undefined ? found === value : sameJson(found, value);
}

function areFields(value: Json): value is Readonly<Record<string, JsonObject>> {
  return isObject(value) && Object.values(value).every(isObject);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
