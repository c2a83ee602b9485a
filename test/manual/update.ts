import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "../../packages/server/src/cli/program.ts";
import { MAN_FOLDER, manPages, SERVER_PACKAGE } from "./man-pages.ts";

/** Writes the manual pages of the program and lists them in its package.json. */
const pages = manPages(await program([]));
rmSync(MAN_FOLDER, { recursive: true, force: true });
mkdirSync(MAN_FOLDER, { recursive: true });
for (const { file, text } of pages) writeFileSync(join(MAN_FOLDER, file), text);
const manifest = JSON.parse(readFileSync(SERVER_PACKAGE, "utf8"));
manifest.man = pages.map(({ file }) => `man/${file}`);
writeFileSync(SERVER_PACKAGE, `${JSON.stringify(manifest, null, 2)}\n`);
