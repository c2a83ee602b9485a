import { z } from "zod";
import { isObject, sameJson, type Json, type JsonObject } from "../../domain/json.ts";
import { GRANTS_KEY } from "../../domain/policy/permission-grant.ts";

/** The metadata key with the kept parts of a `state.json`. */
export const KEPT_KEY = "gaiaState";

/** The parts of a `state.json` that a session has no field for; an export restores them. */
export interface KeptState {
  /** The digest of the file at its last import. */
  readonly digest: string;
  /** Its `last_updated`, which the digest ignores. Missing after imports by older versions. */
  readonly lastUpdated?: string;
  readonly fields?: KeptFields;
  /** Its history, if we would write it differently. */
  readonly history?: readonly Json[];
  /** Fields of its metadata. */
  readonly metadata?: KeptFields;
}

/** Fields that we would write differently than the file. */
export type KeptFields = Readonly<Record<string, KeptField>>;

interface KeptField extends JsonObject {
  /** Our value at the import. While it is unchanged, an export writes the value of the file. */
  readonly ours?: Json;
  /** Undefined when the file does not have the field. */
  readonly given?: Json;
}

const keptFields = z
  .custom<KeptFields>((value) => isObject(value) && Object.values(value).every(isObject))
  .default({});
const keptSchema = z.object({
  digest: z.string(),
  lastUpdated: z.string().nullable().catch(null),
  fields: keptFields,
  history: z.custom<readonly Json[]>(Array.isArray).default([]),
  metadata: keptFields,
});

/** Null for a session that was never imported, or whose key was overwritten. */
export function keptIn(metadata: JsonObject): z.infer<typeof keptSchema> | null {
  const kept = metadata[KEPT_KEY];
  return kept === undefined ? null : (keptSchema.safeParse(kept).data ?? null);
}

/** The metadata without our own keys, as the user wrote it. */
export function ownMetadata(metadata: JsonObject): JsonObject {
  const { [GRANTS_KEY]: _grants, ...own } = metadata;
  const kept = keptIn(metadata);
  if (kept === null) return own;
  const { [KEPT_KEY]: _kept, ...rest } = own;
  return asGiven(rest, kept.metadata);
}

/** The fields in which the file differs from ours. */
export function differingFields(ours: JsonObject, given: JsonObject): KeptFields {
  const names = new Set([...Object.keys(ours), ...Object.keys(given)]);
  return Object.fromEntries(
    [...names].flatMap((name): [string, KeptField][] => {
      const field = { ...fieldOf(ours, name, "ours"), ...fieldOf(given, name, "given") };
      return isSame(ours, name, given[name]) ? [] : [[name, field]];
    }),
  );
}

/** Our fields, with the values of the file where ours are unchanged since the import. */
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
  const own = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return own === undefined || value === undefined ? own === value : sameJson(own, value);
}
