/** What is at a path inside the sandbox. Unless said otherwise, it is what is there outside. */
export type Mount =
  /** The repository, which is held open. */
  | { readonly kind: "workspace"; readonly path: string }
  | { readonly kind: "write"; readonly path: string }
  | { readonly kind: "read"; readonly path: string }
  /** A folder of its own, gone with the agent. */
  | { readonly kind: "fresh"; readonly path: string }
  /** A file that cannot be read. */
  | { readonly kind: "blank"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly to: string };

/** Of two for the same path, the first of these is taken. */
const PRECEDENCE: readonly Mount["kind"][] = [
  "workspace",
  "blank",
  "fresh",
  "link",
  "write",
  "read",
];

/** One for each path, and what is inside another after that other. */
export function inOrder(mounts: readonly Mount[]): readonly Mount[] {
  const chosen = new Map<string, Mount>();
  for (const mount of mounts) {
    const other = chosen.get(mount.path);
    if (other === undefined || rank(mount) < rank(other)) chosen.set(mount.path, mount);
  }
  return [...chosen.values()].toSorted(
    (one, other) => depth(one) - depth(other) || (one.path < other.path ? -1 : 1),
  );
}

function rank({ kind }: Mount): number {
  return PRECEDENCE.indexOf(kind);
}

function depth({ path }: Mount): number {
  return path.split("/").filter((name) => name !== "").length;
}
