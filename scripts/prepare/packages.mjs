import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { NODE_PACKAGE, Stop, requireNode, root, runQuietly, windows } from "../run.mjs";
import { readJson, readText, writeWhole } from "./files.mjs";
import { withLock } from "./lock.mjs";
import { showProgress } from "./progress.mjs";
import { removeInBackground } from "./remove.mjs";

const NODE_MODULES = join(root, "node_modules");
const STAMP = join(NODE_MODULES, ".holdfast-install");
const LOCK = join(root, ".cache", "prepare.lock");

/**
 * The packages to install. `build` are those of the workspaces: Node, and all that goes into the program and the page. `all` are
 * also those of the repository: compiler, linter, tests.
 */
const EXTENTS = {
  build: { includes: ["build", "all"], args: ["--workspaces", "--include-workspace-root=false"] },
  all: { includes: ["all"], args: [] },
};

/** Installs what tests and checks need. */
export async function ensureInstalled() {
  if (isInstalled("all")) return;
  await holdBuildLock(() => install("all"));
}

/** For scripts that write into node_modules or the dist folders: one at a time. */
export function holdBuildLock(work) {
  return withLock(LOCK, work);
}

/** Call it while the lock is held. */
export async function install(extent) {
  if (isInstalled(extent)) return;
  requireNode();
  const hash = installHash();
  const title = extent === "all" ? "Installing all packages" : "Installing packages";
  await showProgress(title, (show) => runNpm(extent, show));
  removeHeaders();
  writeWhole(STAMP, `${extent} ${hash}`);
}

/** Leaves only Node, unless all packages are installed: somebody works on this repository then. */
export function removeBuildPackages() {
  if (isInstalled("all")) return;
  // First the records of what is installed: an interruption must not leave a record of packages that are gone.
  for (const name of [".holdfast-install", ".package-lock.json"])
    rmSync(join(NODE_MODULES, name), { force: true });
  const others = readdirSync(NODE_MODULES).filter((name) => name !== NODE_PACKAGE);
  removeInBackground(others.map((name) => join(NODE_MODULES, name)));
}

function isInstalled(extent) {
  const hash = installHash();
  const [installedExtent, installedFor] = readText(STAMP)?.split(" ") ?? [];
  if (installedFor === hash && EXTENTS[extent].includes.includes(installedExtent)) return true;
  if (!installedByHand()) return false;
  writeWhole(STAMP, `all ${hash}`);
  return true;
}

async function runNpm(extent, show) {
  const args = [
    "ci",
    // A line for each request. The archive of a package is the last one of it.
    "--loglevel=http",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--include=dev",
    "--include=optional",
    ...EXTENTS[extent].args,
  ];
  let count = 0;
  const { code, output } = await runQuietly(windows ? "npm.cmd" : "npm", args, {
    env: { ...process.env, PATH: pathWithoutPinnedNode() },
    shell: windows,
    onOutput: (text) => {
      count += text.split(".tgz ").length - 1;
      if (count > 0) show(`${count} packages`);
    },
  }).catch((error) => {
    throw new Stop(`Cannot start npm: ${error.message}`);
  });
  if (code === 0) return;
  const messages = output.replace(/^npm (?:http|warn) .*\n/gmu, "");
  throw new Stop(`${messages}\nnpm ci failed with exit code ${code}.`);
}

/** npm ci replaces the Node in node_modules, so npm must not be running on it. */
function pathWithoutPinnedNode() {
  const pinned = join(NODE_MODULES, ".bin");
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => folder !== pinned)
    .join(delimiter);
}

/** The package of Node contains 67 MB of C++ headers, which nothing here compiles against. */
function removeHeaders() {
  removeInBackground([join(NODE_MODULES, NODE_PACKAGE, "include")]);
}

function installHash() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const folder of packageFolders()) hash.update(readFileSync(manifestOf(folder)));
  return hash.update(readFileSync(join(root, "package-lock.json"))).digest("hex");
}

/** True if the user ran npm: npm's record contains every package at its locked version. */
function installedByHand() {
  const record = readText(join(NODE_MODULES, ".package-lock.json"));
  if (record === undefined) return false;
  const installed = JSON.parse(record).packages;
  const locked = readJson(join(root, "package-lock.json")).packages;
  return (
    packageFolders().every((folder) => isLocked(manifestOf(folder), locked[folder])) &&
    Object.entries(locked).every(([path, { version, link, optional }]) => {
      if (!path.includes("node_modules/")) return true;
      const entry = installed[path];
      if (entry === undefined) return optional === true;
      return entry.version === version && entry.link === link;
    })
  );
}

/** Whether the lockfile matches the dependencies of a package.json. */
function isLocked(path, locked) {
  const manifest = readJson(path);
  return ["dependencies", "devDependencies", "optionalDependencies"].every((kind) => {
    const required = Object.entries(manifest[kind] ?? {});
    const ranges = locked?.[kind] ?? {};
    return (
      required.length === Object.keys(ranges).length &&
      required.every(([name, range]) => ranges[name] === range)
    );
  });
}

/** Named as in the lockfile, where the root has an empty name. */
function packageFolders() {
  return ["", ...readJson(manifestOf("")).workspaces];
}

function manifestOf(folder) {
  return join(root, folder, "package.json");
}
