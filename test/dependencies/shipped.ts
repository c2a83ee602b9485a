import type { LockFile } from "./lock-file.ts";

/**
 * Paths in the lock file of the packages that users get with Holdfast: those that the sources import, and all that these need.
 * The lock file itself does not know: what the program contains is a development dependency of its package.
 */
export function shippedPaths(
  { packages }: LockFile,
  imported: readonly string[],
): ReadonlySet<string> {
  const shipped = new Set<string>();
  const add = (name: string, from: string): void => {
    const path = resolve(packages, name, from);
    if (path === undefined || shipped.has(path)) return;
    shipped.add(path);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      packages[path] ?? {};
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (peer) => peerDependenciesMeta?.[peer]?.optional !== true,
    );
    for (const next of [
      ...Object.keys(dependencies ?? {}),
      ...Object.keys(optionalDependencies ?? {}),
      ...peers,
    ])
      add(next, path);
  };
  for (const name of imported) add(name, "");
  return shipped;
}

/** As Node resolves a name: in the nearest node_modules, then in those of the folders above. */
function resolve(packages: LockFile["packages"], name: string, from: string): string | undefined {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))
  ) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (path in packages) return path;
    if (folder === "") return undefined;
  }
}
