import type { OwnGitFolder, OwnGitOptions } from "../own-git-folder.ts";
import { splitPaths, type RawPath } from "../raw-path.ts";

/** Those of the paths that the rules ignore. `folder`: the rules in this folder count. */
export async function findIgnored(
  own: OwnGitFolder,
  paths: readonly RawPath[],
  { folder, ...options }: OwnGitOptions & { readonly folder: string },
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  // The command takes no literal paths. `./` keeps a name that begins with a colon from having a meaning.
  const input = Buffer.from(paths.map((each) => `./${each}\0`).join(""), "latin1");
  const args = ["--no-literal-pathspecs", `--work-tree=${folder}`];
  const { stdout } = await own.git([...args, "check-ignore", "--no-index", "-z", "--stdin"], {
    ...options,
    input,
    codes: [0, 1],
  });
  return new Set(splitPaths(stdout).map((each) => each.slice(2)));
}
