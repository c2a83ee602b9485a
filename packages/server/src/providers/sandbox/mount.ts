/** The content of a path inside the sandbox: the same as outside, unless a comment says otherwise. */
export type Mount =
  /** The repository or a further directory, mounted by its open descriptor. */
  | { readonly kind: "workspace"; readonly path: string }
  | { readonly kind: "write"; readonly path: string }
  | { readonly kind: "read"; readonly path: string }
  /** An empty folder that is removed with the agent. */
  | { readonly kind: "fresh"; readonly path: string }
  /** A file without content. */
  | { readonly kind: "blank"; readonly path: string }
  /** Another file, read-only. */
  | { readonly kind: "other"; readonly path: string; readonly from: string }
  | { readonly kind: "link"; readonly path: string; readonly to: string };

/** The order of precedence of mounts with the same path. */
const PRECEDENCE: readonly Mount["kind"][] = [
  "workspace",
  "blank",
  "fresh",
  "link",
  "other",
  "write",
  "read",
];

export function readMount(path: string): Mount {
  return { kind: "read", path };
}

/** Keeps one mount for each path, and sorts them so that a mount follows the mounts around it. */
export function sortMounts(mounts: readonly Mount[]): readonly Mount[] {
  const chosen = new Map<string, Mount>();
  for (const mount of mounts) {
    const other = chosen.get(mount.path);
    if (other === undefined || rank(mount) < rank(other)) chosen.set(mount.path, mount);
  }
  return [...chosen.values()].toSorted(
    (left, right) => depth(left) - depth(right) || (left.path < right.path ? -1 : 1),
  );
}

function rank({ kind }: Mount): number {
  return PRECEDENCE.indexOf(kind);
}

function depth({ path }: Mount): number {
  return path.split("/").filter((name) => name !== "").length;
}
