import type { Json } from "../../domain/json.ts";
import type { NodeRecord } from "../../storage/store.ts";

/** A node as it last told of itself. */
export interface NodeView {
  readonly node: string;
  readonly name: string;
  readonly version: string;
  readonly labels: readonly string[];
  /** How many agents may live there, and how many are at work. */
  readonly capacity: number;
  readonly busy: number;
  /** The busy ones, and those that have nothing to do and can be ended for others. */
  readonly taken: number;
  /** Repositories whose sessions cannot run there. */
  readonly missing: readonly string[];
  readonly draining: boolean;
  /** It knows that it is to drain: what it says of its agents is from after that. */
  readonly letsGo: boolean;
  readonly alive: boolean;
  readonly startedAt: number;
}

/** Another version may tell more, or less. */
export function nodeView({ node, about, ...record }: NodeRecord): NodeView {
  return {
    ...record,
    node,
    name: textOf(about["name"]) ?? node,
    version: textOf(about["version"]) ?? "",
    labels: textsOf(about["labels"]),
    capacity: numberOf(about["capacity"]),
    busy: numberOf(about["busy"]),
    taken: numberOf(about["taken"]),
    missing: textsOf(about["missing"]),
    letsGo: about["letsGo"] === true,
  };
}

export function hasRoom({ draining, busy, capacity }: NodeView): boolean {
  return !draining && busy < capacity;
}

/** Nothing is at work there, and nothing will be. */
export function isDrained({ draining, letsGo, busy }: NodeView): boolean {
  return draining && letsGo && busy === 0;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function numberOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}
