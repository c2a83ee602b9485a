import { readFileSync } from "node:fs";
import { join } from "node:path";
import { layers } from "../architecture/layers.ts";
import { root } from "../architecture/read-sources.ts";
import { shippedPaths } from "./shipped.ts";

/** A package of package-lock.json; the fields that the checks use. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
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
  /** Paths in the lock file of the packages that users get with Holdfast. */
  readonly shipped: ReadonlySet<string>;
}

export function readDependencies(): Dependencies {
  const manifest: Manifest = readJson("package.json");
  const files = (manifest.workspaces ?? []).map((folder) => `${folder}/package.json`);
  const lock: LockFile = readJson("package-lock.json");
  return {
    lock,
    shipped: shippedPaths(
      lock,
      layers.flatMap(({ npm }) => npm),
    ),
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
