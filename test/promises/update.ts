import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSources, root } from "../architecture/read-sources.ts";
import { updateTable } from "./promise-table.ts";

const path = join(root, "docs/promises.md");
writeFileSync(path, updateTable(readFileSync(path, "utf8"), readSources()));
