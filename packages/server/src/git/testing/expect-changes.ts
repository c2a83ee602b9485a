import { rmSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { Trees } from "../folder-git.ts";
import type { ChangedFile } from "../snapshot/changed-file.ts";
import type { GitWorld } from "./git-world.ts";

/** Compares with the two lists that plain Git writes one after the other. */
export function expectSameChanges(
  world: GitWorld,
  { before, after }: Trees,
  changes: readonly ChangedFile[],
): void {
  const list = (form: string): readonly string[] => {
    const args = ["diff-tree", "-r", "-z", form, "--no-abbrev", "--find-renames", "-l1000"];
    return world
      .git([...args, before, after])
      .toString("latin1")
      .split("\0")
      .slice(0, -1);
  };
  const raw = changes.flatMap((file) => [
    `:${file.modeBefore ?? "000000"} ${file.modeAfter ?? "000000"} ${file.before ?? NONE} ${file.after ?? NONE} ${LETTERS[file.change]}`,
    ...(file.from === null ? [] : [file.from]),
    file.path,
  ]);
  expect(raw).toEqual(list("--raw").map((field) => field.replace(/ R\d+$/u, " R")));
  const counts = changes.map(({ path: name, from, added, deleted, ...modes }) => ({
    name,
    from,
    // Lines of a submodule mean nothing.
    lines: isSubmodule(modes) ? null : `${added ?? "-"} ${deleted ?? "-"}`,
  }));
  const submodules = new Set(changes.filter(isSubmodule).map((file) => file.path as string));
  expect(counts).toEqual(parseCounts(list("--numstat"), submodules));
}

function isSubmodule({
  modeBefore,
  modeAfter,
}: Pick<ChangedFile, "modeBefore" | "modeAfter">): boolean {
  return [modeBefore, modeAfter].includes("160000");
}

function parseCounts(fields: readonly string[], submodules: ReadonlySet<string>): unknown {
  const found = [];
  for (let at = 0; at < fields.length; at += 1) {
    const [, lines = "", own = ""] = /^([^\t]*\t[^\t]*)\t(.*)$/su.exec(fields[at] ?? "") ?? [];
    const [from, name] = own === "" ? [fields[at + 1], fields[at + 2] ?? ""] : [null, own];
    if (own === "") at += 2;
    found.push({ name, from, lines: submodules.has(name) ? null : lines.replace("\t", " ") });
  }
  return found;
}

/** The patch leads `git apply` from one tree to the other. */
export function expectWholePatch(
  world: GitWorld,
  { before, after }: Trees,
  patch: Uint8Array,
): void {
  const index = path.join(world.root, "patched-index");
  rmSync(index, { force: true });
  world.git(["read-tree", before], { index });
  try {
    if (patch.length > 0)
      world.git(["apply", "--cached", "--whitespace=nowarn"], { index, input: patch });
  } catch (error) {
    // `git apply` cannot put a link in the place of a folder.
    if (String(error).includes("is beyond a symbolic link")) return;
    throw error;
  }
  expect(world.line(["write-tree"], { index })).toBe(after);
}

const NONE = "0".repeat(40);

const LETTERS = { added: "A", modified: "M", deleted: "D", renamed: "R", type_changed: "T" };
