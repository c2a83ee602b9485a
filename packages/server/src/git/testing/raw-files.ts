import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  type Stats,
} from "node:fs";

/** Files of a folder by names with one character for each byte. */
export interface RawFiles {
  stat(name: string): Stats | null;
  /** Replaces what is there and in the way. */
  write(name: string, content: string): void;
  link(name: string, to: string): void;
  remove(name: string): void;
  rename(name: string, to: string): void;
  folder(name: string): void;
  toggleExec(name: string): void;
  /** Inverts the first byte, so that the size stays. */
  edit(name: string): void;
  /** Gives all files times that they never had, so that Git reads them again. */
  touchAll(): void;
  /** All files and links but those of Git, with their content. */
  all(): ReadonlyMap<string, string>;
}

export function rawFiles(root: string): RawFiles {
  const at = (name: string): Buffer =>
    Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, "latin1")]);
  const stat = (name: string): Stats | null => {
    try {
      return lstatSync(at(name));
    } catch {
      return null;
    }
  };
  const namesIn = (name: string): readonly string[] =>
    readdirSync(at(name), { encoding: "buffer" }).map((each) => each.toString("latin1"));
  const remove = (name: string): void => {
    const stats = stat(name);
    if (stats === null) return;
    if (!stats.isDirectory()) return unlinkSync(at(name));
    for (const each of namesIn(name)) remove(`${name}/${each}`);
    rmdirSync(at(name));
  };
  const folder = (name: string): void => {
    if (stat(name)?.isDirectory() === true) return;
    const end = name.lastIndexOf("/");
    if (end > 0) folder(name.slice(0, end));
    remove(name);
    mkdirSync(at(name));
  };
  const makeRoom = (name: string): void => {
    const end = name.lastIndexOf("/");
    if (end > 0) folder(name.slice(0, end));
    remove(name);
  };
  const isFile = (name: string): boolean => isInside(name) && stat(name)?.isFile() === true;
  const isInside = (name: string): boolean => {
    for (let end = name.indexOf("/"); end >= 0; end = name.indexOf("/", end + 1))
      if (stat(name.slice(0, end))?.isDirectory() !== true) return false;
    return true;
  };
  let touched = 1_000_000;
  const list = (name: string, found: Map<string, string>): void => {
    for (const each of namesIn(name)) {
      const full = name === "" ? each : `${name}/${each}`;
      const stats = stat(full);
      if (each === ".git" || stats === null) continue;
      if (stats.isDirectory()) list(full, found);
      else if (stats.isSymbolicLink())
        found.set(full, `-> ${readlinkSync(at(full), { encoding: "buffer" }).toString("latin1")}`);
      else if (stats.isFile())
        found.set(
          full,
          `${(stats.mode & 0o100) === 0 ? "" : "x"}:${readFileSync(at(full), "latin1")}`,
        );
    }
  };
  const all = (): ReadonlyMap<string, string> => {
    const found = new Map<string, string>();
    list("", found);
    return found;
  };
  return {
    stat,
    write(name, content) {
      if (!isFile(name)) makeRoom(name);
      writeFileSync(at(name), content, "latin1");
    },
    link(name, to) {
      makeRoom(name);
      symlinkSync(Buffer.from(to, "latin1"), at(name));
    },
    remove: (name) => {
      if (isInside(name)) remove(name);
    },
    rename(name, to) {
      if (!isInside(name) || stat(name) === null) return;
      if (`${to}/`.startsWith(`${name}/`) || `${name}/`.startsWith(`${to}/`)) return;
      makeRoom(to);
      if (isInside(name) && stat(name) !== null) renameSync(at(name), at(to));
    },
    folder,
    toggleExec(name) {
      if (isFile(name)) chmodSync(at(name), (stat(name)?.mode ?? 0) ^ 0o111);
    },
    edit(name) {
      if (!isFile(name)) return;
      const content = readFileSync(at(name));
      if (content.length === 0) return;
      content[0] = (content[0] ?? 0) ^ 1;
      writeFileSync(at(name), content);
    },
    touchAll() {
      for (const name of all().keys()) {
        touched += 1;
        if (isFile(name)) utimesSync(at(name), touched, touched);
      }
    },
    all,
  };
}
