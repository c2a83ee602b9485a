import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Stop, main, root } from "./run.mjs";

const KINDS = ["dependencies", "devDependencies", "optionalDependencies"];

/** From which editors install Holdfast. */
const REGISTRY_ENTRY = join("docs", "acp-registry", "agent.json");

/** Writes the version into all packages of this repository, where they name each other, and into the lockfile. */
await main(async () => {
  const [version = "", ...rest] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u.test(version) || rest.length > 0)
    throw new Stop("Give one version, such as 1.2.3: npm run set-version -- 1.2.3");
  const lock = readJson("package-lock.json");
  const folders = ["", ...readJson("package.json").workspaces];
  const names = folders.map((folder) => readJson(join(folder, "package.json")).name);
  const update = (manifest) => {
    manifest.version = version;
    for (const kind of KINDS)
      for (const name of names) if (manifest[kind]?.[name]) manifest[kind][name] = version;
  };
  for (const folder of folders) {
    const file = join(folder, "package.json");
    const manifest = readJson(file);
    update(manifest);
    update(lock.packages[folder]);
    writeJson(file, manifest);
  }
  const entry = readFileSync(join(root, REGISTRY_ENTRY), "utf8");
  writeFileSync(join(root, REGISTRY_ENTRY), entry.replaceAll(lock.version, version));
  lock.version = version;
  writeJson("package-lock.json", lock);
});

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}

function writeJson(file, value) {
  writeFileSync(join(root, file), `${JSON.stringify(value, null, 2)}\n`);
}
