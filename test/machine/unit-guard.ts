import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import workerThreads from "node:worker_threads";

/** Loaded before each unit test: a test that starts a process or a thread fails, with the name its file should have. */
const STARTERS = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"];

for (const name of STARTERS) Object.assign(childProcess, { [name]: () => refuse("a process") });
Object.assign(workerThreads, {
  Worker: class {
    constructor() {
      refuse("a thread");
    }
  },
});
syncBuiltinESMExports();

function refuse(kind: string): never {
  throw new Error(
    `A unit test starts ${kind}: name its file *.process.test.ts or, for a store, *.store.test.ts.`,
  );
}
