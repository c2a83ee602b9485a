import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../architecture/read-sources.ts";

/** A package of package-lock.json; the fields that the checks use. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly link?: boolean;
  /** Only tools and tests need it. */
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  /** It is a part of the package that contains it, whose hash covers it. */
  readonly inBundle?: boolean;
}

export interface LockFile {
  readonly lockfileVersion: number;
  /** By path, such as `node_modules/zod`. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface Manifest {
  readonly name?: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
  /** Which packages may run scripts when they are installed. */
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

export interface Dependencies {
  readonly lock: LockFile;
  /** By file; the first is that of the repository. */
  readonly manifests: Readonly<Record<string, Manifest>>;
}

export function readDependencies(): Dependencies {
  const manifest: Manifest = readJson("package.json");
  const files = (manifest.workspaces ?? []).map((folder) => `${folder}/package.json`);
  return {
    lock: readJson("package-lock.json"),
    manifests: Object.fromEntries(["package.json", ...files].map((file) => [file, readJson(file)])),
  };
}

function readJson<Value>(file: string): Value {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
}

const FOLDER = "node_modules/";

/** Packages from the registry, with their paths. Workspaces and links to them are not. */
export function installed({ packages }: LockFile): readonly (readonly [string, LockedPackage])[] {
  return Object.entries(packages).filter(([path, { link }]) => path.includes(FOLDER) && !link);
}

/** Whether users get it with Holdfast. */
export function isShipped({ dev = false, devOptional = false }: LockedPackage): boolean {
  return !dev && !devOptional;
}
