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
  const counts = changes.flatMap((file) => {
    const isSubmodule = [file.modeBefore, file.modeAfter].includes("160000");
    const lines = `${file.added ?? "-"}\t${file.deleted ?? "-"}`;
    if (isSubmodule) return [`submodule\t${file.path}`];
    return file.from === null ? [`${lines}\t${file.path}`] : [`${lines}\t`, file.from, file.path];
  });
  const submodules = new Set(
    counts.flatMap((line) => (line.startsWith("submodule\t") ? line.slice(10) : [])),
  );
  const plain = list("--numstat").map((line) => {
    const [name] = /(?<=^[^\t]*\t[^\t]*\t).+$/su.exec(line) ?? [];
    return name !== undefined && submodules.has(name) ? `submodule\t${name}` : line;
  });
  expect(counts).toEqual(plain);
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
  if (patch.length > 0)
    world.git(["apply", "--cached", "--whitespace=nowarn"], { index, input: patch });
  expect(world.line(["write-tree"], { index })).toBe(after);
}

const NONE = "0".repeat(40);

const LETTERS = { added: "A", modified: "M", deleted: "D", renamed: "R", type_changed: "T" };
