import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export interface UnpackedChromium {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The Chromium that comes from npm, with the libraries it needs. Unpacked once for all who ask. */
export async function unpackChromium(): Promise<UnpackedChromium> {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error(
      `it is for Linux on x86-64 only, and this is ${process.platform} on ${process.arch}`,
    );
  const home = path.join(tmpdir(), `holdfast-chromium-${process.getuid?.() ?? 0}`);
  if (!existsSync(home)) await unpackInto(home);
  return {
    file: path.join(home, "chromium"),
    env: {
      LD_LIBRARY_PATH: [path.join(home, "al2023", "lib"), process.env["LD_LIBRARY_PATH"] ?? ""]
        .filter((part) => part !== "")
        .join(":"),
      FONTCONFIG_PATH: process.env["FONTCONFIG_PATH"] ?? path.join(home, "fonts"),
    },
  };
}

/** It appears whole or not at all: tests in other processes may ask for it meanwhile. */
async function unpackInto(home: string): Promise<void> {
  const folder = await mkdtemp(`${home}-`);
  const before = process.env["TMPDIR"];
  // The package unpacks into the folder for temporary files, wherever that is.
  process.env["TMPDIR"] = folder;
  try {
    const { default: chromium, inflate } = await import("@sparticuz/chromium");
    await chromium.executablePath();
    await inflate(path.join(packageFolder(), "bin", "al2023.tar.br"));
    await rename(folder, home).catch((error: unknown) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    await rm(folder, { recursive: true, force: true });
  }
}

function packageFolder(): string {
  return path.resolve(fileURLToPath(import.meta.resolve("@sparticuz/chromium")), "../..");
}
