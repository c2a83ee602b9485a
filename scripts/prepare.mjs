import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { withLock } from "./lock.mjs";
import { Stop, root, runQuietly, runTool, windows } from "./run.mjs";

const INSTALL_STAMP = join(root, "node_modules", ".holdfast-install");
const BUILD_STAMP = join(root, "packages", "server", "dist", ".build-stamp");
const LOCK = join(root, ".cache", "prepare.lock");

/** Outputs of the build. A missing one causes a build even if the stamp is current. */
const OUTPUTS = ["server/dist/program/main.js", "server/dist/web/index.html"];

export async function ensureInstalled() {
  if (isInstalled()) return;
  await withLock(LOCK, async () => {
    if (!isInstalled()) await install();
  });
}

export async function ensureBuilt() {
  if (isBuilt(sourceHash())) return;
  await holdBuildLock(async () => {
    const hash = sourceHash();
    if (!isBuilt(hash)) await build(hash);
  });
}

/** For other scripts that write into the dist folders. */
export function holdBuildLock(work) {
  return withLock(LOCK, work);
}

function isInstalled() {
  const hash = installHash();
  if (readText(INSTALL_STAMP) === hash) return true;
  if (!installedByHand()) return false;
  writeStamp(INSTALL_STAMP, hash);
  return true;
}

async function install() {
  process.stderr.write("Installing dependencies…\n");
  const hash = installHash();
  const args = [
    "ci",
    "--loglevel=error",
    "--no-audit",
    "--no-fund",
    "--include=dev",
    "--include=optional",
  ];
  const { code, output } = await runQuietly(windows ? "npm.cmd" : "npm", args, {
    env: { ...process.env, PATH: pathWithoutPinnedNode() },
    shell: windows,
  }).catch((error) => {
    throw new Stop(`Cannot start npm: ${error.message}`);
  });
  if (code !== 0) throw new Stop(`${output}\nnpm ci failed with exit code ${code}.`);
  writeStamp(INSTALL_STAMP, hash);
}

/** npm ci replaces the Node in node_modules, so npm must not be running on it. */
function pathWithoutPinnedNode() {
  const pinned = join(root, "node_modules", ".bin");
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => folder !== pinned)
    .join(delimiter);
}

function installHash() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const folder of packageFolders()) hash.update(readFileSync(manifestOf(folder)));
  return hash.update(readFileSync(join(root, "package-lock.json"))).digest("hex");
}

/** True if the user ran npm: npm's record contains every package at its locked version. */
function installedByHand() {
  const record = readText(join(root, "node_modules", ".package-lock.json"));
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

async function build(hash) {
  process.stderr.write("Building…\n");
  rmSync(BUILD_STAMP, { force: true });
  // A test sets NODE_ENV=test, which would build a page for development.
  const env = { ...process.env, NODE_ENV: "production" };
  const results = await Promise.all(
    ["server", "web"].map((name) =>
      runTool("vite", ["build", `packages/${name}`, "--logLevel", "warn"], { env }),
    ),
  );
  const failed = results.filter(({ code }) => code !== 0);
  if (failed.length > 0)
    throw new Stop(`${failed.map(({ output }) => output).join("\n")}\nThe build failed.`);
  writeStamp(BUILD_STAMP, hash);
}

function isBuilt(hash) {
  return (
    readText(BUILD_STAMP) === hash &&
    OUTPUTS.every((path) => existsSync(join(root, "packages", path)))
  );
}

/** Cheap: hashes names, sizes and times of all inputs of the build, not their contents. */
function sourceHash() {
  const hash = createHash("sha256");
  for (const path of buildInputs()) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(root, path)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function buildInputs() {
  const packages = join(root, "packages");
  const inside = readdirSync(packages).flatMap((name) => filesUnder(join(packages, name)));
  const outside = ["package.json", "package-lock.json", "tsconfig.base.json"].map((name) =>
    join(root, name),
  );
  return [...inside, ...outside].toSorted((left, right) => (left < right ? -1 : 1));
}

function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return isBuildFolder(entry.name) ? filesUnder(path) : [];
    return /\.test\.tsx?$/.test(entry.name) ? [] : [path];
  });
}

function isBuildFolder(name) {
  return name !== "dist" && name !== "node_modules" && name !== "testing";
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

function writeStamp(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
