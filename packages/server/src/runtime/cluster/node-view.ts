import type { Json } from "../../domain/json.ts";
import type { NodeRecord } from "../../storage/store.ts";

/** A node as of its last report. */
export interface NodeView {
  readonly node: string;
  readonly name: string;
  readonly version: string;
  readonly labels: readonly string[];
  /** Number of agent slots, and of agents at work. */
  readonly capacity: number;
  readonly busy: number;
  /** Busy agents and idle ones, which can be ended to free their slots. */
  readonly taken: number;
  /** Repositories that the node does not have. */
  readonly missing: readonly string[];
  readonly draining: boolean;
  /** The node knows that it is draining, so its numbers of agents are from after that. */
  readonly letsGo: boolean;
  readonly alive: boolean;
  readonly startedAt: number;
}

/** Another version of the server may report other fields. */
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

/** The node has no work and takes none. */
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
