import { cpus, release, totalmem } from "node:os";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { printTable } from "./report.ts";
import { benchStorage } from "./storage-bench.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    sessions: { type: "string" },
    json: { type: "string" },
  },
});

const sessions = Number(values.sessions ?? (values.quick ? 10_000 : 100_000));
const [cpu] = cpus();
const machine = `${cpus().length} × ${cpu?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, Node ${process.versions.node}`;

console.log(
  `${machine}\nSQLite with ${sessions.toLocaleString("en")} sessions; raw: node:sqlite on the same file\n`,
);
const storage = await benchStorage({ sessions });
console.log(printTable(storage.rows, storage.sizes));
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ machine, storage }, null, 2)}\n`);
