import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../architecture/read-sources.ts";

/** A tarball as `npm publish` would upload it. */
export interface Packed {
  readonly name: string;
  readonly version: string;
  readonly data: Buffer;
  readonly unpackedBytes: number;
  readonly integrity: string;
  readonly shasum: string;
  /** Paths in the package. */
  readonly files: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>>;
}

interface PackReport {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly unpackedSize: number;
  readonly integrity: string;
  readonly shasum: string;
  readonly files: readonly { readonly path: string }[];
}

/** Packs a folder of this repository into `target`. Scripts of packages from the registry do not run. */
export function pack(folder: string, target: string): Packed {
  const source = path.join(root, folder);
  const output = execFileSync(
    "npm",
    ["pack", source, "--json", "--ignore-scripts", "--pack-destination", target],
    { cwd: target, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const [report]: readonly [PackReport] = JSON.parse(output);
  return {
    name: report.name,
    version: report.version,
    data: readFileSync(path.join(target, report.filename)),
    unpackedBytes: report.unpackedSize,
    integrity: report.integrity,
    shasum: report.shasum,
    files: report.files.map((file) => file.path),
    manifest: JSON.parse(readFileSync(path.join(source, "package.json"), "utf8")),
  };
}
