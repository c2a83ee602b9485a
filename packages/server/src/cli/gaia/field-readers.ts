import { type Json, type JsonObject, isObject, isArray } from "../../domain/json.ts";
import { PHASES, type Phase } from "../../domain/phase.ts";
import { parseStateTime } from "./state-time.ts";

/** A `state.json` with an invalid field. Only this file is skipped. */
export class BadState extends Error {}

/** These readers throw `BadState` with the path of a field that has another type. */
export function phaseAt(place: string, value: Json | undefined): Phase {
  const phase = PHASES.find((known) => known === value);
  if (phase === undefined) throw mismatch(place, "a phase", value);
  return phase;
}

export function timeAt(place: string, value: Json | undefined): number {
  const at = typeof value === "string" ? parseStateTime(value) : null;
  if (at === null) throw mismatch(place, "a time", value);
  return at;
}

export function textOrNullAt(place: string, value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw mismatch(place, "a text", value);
  return value;
}

export function countAt(place: string, value: Json | undefined): number {
  if (value === undefined || value === null) return 0;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw mismatch(place, "a whole number from 0", value);
  return value;
}

export function flagOrNullAt(place: string, value: Json | undefined): boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "boolean") throw mismatch(place, "true or false", value);
  return value;
}

export function objectAt(place: string, value: Json | undefined): JsonObject {
  if (value === undefined || !isObject(value)) throw mismatch(place, "an object", value);
  return value;
}

export function listAt(place: string, value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (!isArray(value)) throw mismatch(place, "a list", value);
  return value;
}

/** Characters shown of a wrong value. */
const MAX_SHOWN = 60;

export function mismatch(place: string, expected: string, found: Json | undefined): BadState {
  if (found === undefined) return new BadState(`${place} is missing`);
  const shown = JSON.stringify(found);
  const short = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
  return new BadState(`${place} is not ${expected}: ${short}`);
}
