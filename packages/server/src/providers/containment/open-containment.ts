import type { Containment, ContainmentKind } from "./containment.ts";
import { findControlGroups } from "./control-group.ts";
import { findPidNamespace } from "./pid-namespace.ts";

export interface ContainmentOptions {
  /** In order of preference. */
  readonly kinds: readonly ContainmentKind[];
  /** The server's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The first kind that works here. */
export async function openContainment(options: ContainmentOptions): Promise<Containment> {
  for (const kind of options.kinds) {
    const containment = await find(kind, options);
    if (containment !== null) return containment;
  }
  return BY_MARKER;
}

async function find(
  kind: ContainmentKind,
  { environment }: ContainmentOptions,
): Promise<Containment | null> {
  switch (kind) {
    case "pid-namespace":
      return findPidNamespace(environment);
    case "control-group":
      return findControlGroups();
    case "marker":
      return BY_MARKER;
    default:
      return kind satisfies never;
  }
}

const BY_MARKER: Containment = {
  kind: "marker",
  contain: (command) => ({ command, killAll: () => Promise.resolve() }),
};
