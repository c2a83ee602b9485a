import { cpus, release, totalmem } from "node:os";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { printTable } from "./report.ts";
import { benchStorage } from "./storage-bench.ts";
import { benchStreams } from "./stream-bench.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    sessions: { type: "string" },
    only: { type: "string" },
    json: { type: "string" },
  },
});

const sessions = Number(values.sessions ?? (values.quick ? 10_000 : 100_000));
const [cpu] = cpus();
const machine = `${cpus().length} × ${cpu?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, Node ${process.versions.node}`;

const isWanted = (part: string): boolean => values.only === undefined || values.only === part;

console.log(`${machine}\n`);
const storage = isWanted("storage") ? await benchStorage({ sessions }) : null;
if (storage !== null) {
  console.log(
    `SQLite with ${sessions.toLocaleString("en")} sessions; raw: node:sqlite on the same file\n`,
  );
  console.log(`${printTable(storage.rows, storage.sizes)}\n`);
}
const streams = isWanted("streams") ? await benchStreams({ seconds: values.quick ? 3 : 10 }) : null;
if (streams !== null) {
  console.log("A server process, agents over stdio, clients over HTTP; stored before shown\n");
  console.log(printTable(streams.rows, streams.sizes));
}
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify({ machine, storage, streams }, null, 2)}\n`);
}
