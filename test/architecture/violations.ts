import { posix } from "node:path";
import {
  packageEntries,
  meaninglessNames,
  layers,
  maxLines,
  packageNames,
  testPackages,
  type Layer,
} from "./layers.ts";
import { scanImports } from "./scan-imports.ts";

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly source: string;
}

/** Everything in these files that violates the architecture, one sentence each. */
export function violationsIn(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    [
      ...nameViolations(file),
      ...lengthViolations(file),
      ...importViolations(file),
      ...slowImports(file),
    ].map((violation) => `${file.path}: ${violation}`),
  );
}

/** The layers that a layer depends on, directly and indirectly. */
export function layersBelow(layer: Layer): readonly Layer[] {
  const direct = layers.filter(({ name }) => layer.imports.includes(name));
  return [...new Set([...direct, ...direct.flatMap(layersBelow)])];
}

function nameViolations({ path }: SourceFile): readonly string[] {
  const folders = path.split("/").slice(0, -1);
  const name = posix.basename(path);
  return [
    ...(name === "index.ts" && !packageEntries.includes(path)
      ? ["index.ts is only allowed as the entry of a package"]
      : []),
    ...(isKebab(name) ? [] : [`${name} is not kebab-case`]),
    ...folders.filter((folder) => !isKebab(folder)).map((folder) => `${folder}/ is not kebab-case`),
    ...folders
      .filter((folder) => meaninglessNames.includes(folder))
      .map((folder) => `${folder}/ is meaningless: name the folder after its concept`),
  ];
}

function isKebab(name: string): boolean {
  return name.split(".").every((part) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(part));
}

function lengthViolations({ source }: SourceFile): readonly string[] {
  const lines = source.replace(/\n$/, "").split("\n").length;
  return lines > maxLines ? [`${lines} lines; the maximum is ${maxLines}`] : [];
}

function importViolations({ path, source }: SourceFile): readonly string[] {
  const layer = layerOf(path);
  if (layer === undefined || !/\.tsx?$/.test(path)) return [];
  const importer = { layer, path, allowed: isTest(path) ? allowedInTests(layer) : layer };
  return scanImports(path, source).flatMap((name) => importViolation(importer, name) ?? []);
}

/** Node then looks at every export of the module, and one of them is all of `fetch`: 40 ms of every start. */
function slowImports({ path, source }: SourceFile): readonly string[] {
  if (isTest(path) || !path.startsWith("packages/server/")) return [];
  return [...source.matchAll(/^import ([^;]*?) from "(node:https?)";/gmu)].flatMap(
    ([, names = "", module]) =>
      names.startsWith("type ")
        ? []
        : [`imports more than types from ${module}: use process.getBuiltinModule`],
  );
}

interface Importer {
  readonly layer: Layer;
  readonly path: string;
  readonly allowed: Pick<Layer, "imports" | "npm" | "node">;
}

function importViolation({ layer, path, allowed }: Importer, name: string | null): string | null {
  if (name === null) return "imports a module by a computed name, which cannot be checked";
  if (name.startsWith("node:")) {
    return allowed.node ? null : `${layer.name} may not import ${name}`;
  }
  if (name.startsWith(".")) return relativeImportViolation({ layer, path, allowed }, name);
  const packageName = packageOf(name);
  const workspace = packageNames.get(packageName);
  if (workspace !== undefined) {
    return allowed.imports.includes(workspace)
      ? null
      : `${layer.name} may not import ${workspace} (${name})`;
  }
  return allowed.npm.includes(packageName)
    ? null
    : `${layer.name} may not use the npm package ${packageName}`;
}

function relativeImportViolation({ layer, path, allowed }: Importer, name: string): string | null {
  const target = posix.join(posix.dirname(path), name);
  const owner = layerOf(target);
  if (owner === undefined) return `${name} is in no layer`;
  if (owner !== layer && !allowed.imports.includes(owner.name)) {
    return `${layer.name} may not import ${owner.name} (${name})`;
  }
  if (packageFolder(owner.folder) !== packageFolder(layer.folder)) {
    return `${name} reaches into another package: import it by its name`;
  }
  if (isTest(target) && !isTest(path)) return `${name} is for tests only`;
  return null;
}

function allowedInTests(layer: Layer): Pick<Layer, "imports" | "npm" | "node"> {
  const reach = [layer, ...layersBelow(layer)];
  return {
    imports: reach.map(({ name }) => name),
    npm: [...testPackages, ...reach.flatMap(({ npm }) => npm)],
    node: true,
  };
}

export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.split("/").includes("testing");
}

function layerOf(path: string): Layer | undefined {
  return layers.find(({ folder }) => path.startsWith(`${folder}/`));
}

function packageFolder(folder: string): string {
  return folder.split("/").slice(0, 2).join("/");
}

function packageOf(name: string): string {
  return name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
}
