import { cleanText } from "../../../domain/clean-text.ts";
import { isObject } from "../../../domain/json.ts";

/** An object from an agent, which is not trusted: a value of the wrong type counts as missing. */
export type Loose = Readonly<Record<string, unknown>>;

export function looseObject(value: unknown): Loose | null {
  return isObject(value) ? value : null;
}

/** Clean text, which may be empty. */
export function looseText(value: unknown): string | null {
  return typeof value === "string" ? cleanText(value) : null;
}

/** A short text that is not blank, cut at the limit. */
export function looseLabel(value: unknown, maxLength = 400): string | null {
  if (typeof value !== "string") return null;
  const text = cleanText(value.slice(0, maxLength)).trim();
  return text === "" ? null : text;
}

export function looseNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function looseList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The fields that are not null. */
export function present<Key extends string, Value>(
  fields: Readonly<Record<Key, Value | null>>,
): { readonly [Name in Key]?: Value };
export function present(fields: Loose): Loose {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
