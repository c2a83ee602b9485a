import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { Stop, isNodeAvailable, root, runTool } from "../run.mjs";
import { readText, writeWhole } from "./files.mjs";
import { holdBuildLock, install, removeBuildPackages } from "./packages.mjs";
import { showProgress } from "./progress.mjs";

const STAMP = join(root, "packages", "server", "dist", ".build-stamp");

/** Outputs of the build. A missing one causes a build even if the stamp is current. */
const OUTPUTS = ["server/dist/program/main.js", "server/dist/web/index.html"];

/**
 * Makes the program ready to run. The program contains its libraries, so the packages it is built from are removed after the
 * first build in a clone. They stay after a later one: then somebody changes the sources.
 */
export async function ensureBuilt() {
  if (isReady()) return;
  await holdBuildLock(async () => {
    if (isReady()) return;
    const isFirst = readText(STAMP) === undefined;
    await install("build");
    const hash = sourceHash();
    if (!isBuilt(hash)) await build(hash);
    if (isFirst) removeBuildPackages();
  });
}

function isReady() {
  return isNodeAvailable() && isBuilt(sourceHash());
}

async function build(hash) {
  rmSync(STAMP, { force: true });
  // A test sets NODE_ENV=test, which would build a page for development.
  const env = { ...process.env, NODE_ENV: "production" };
  await showProgress("Building the program and its page", async () => {
    const results = await Promise.all(
      ["server", "web"].map((name) =>
        runTool("vite", ["build", `packages/${name}`, "--logLevel", "warn"], { env }),
      ),
    );
    const failed = results.filter(({ code }) => code !== 0);
    if (failed.length > 0)
      throw new Stop(`${failed.map(({ output }) => output).join("\n")}\nThe build failed.`);
  });
  writeWhole(STAMP, hash);
}

function isBuilt(hash) {
  return (
    readText(STAMP) === hash && OUTPUTS.every((path) => existsSync(join(root, "packages", path)))
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
  return !["dist", "node_modules", "testing", "fuzz"].includes(name);
}
