import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSources, root } from "../architecture/read-sources.ts";
import { listTests } from "./promise-table.ts";

writeFileSync(join(root, "docs/promise-tests.md"), listTests(readSources()));
