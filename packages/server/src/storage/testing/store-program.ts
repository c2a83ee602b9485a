import { openStore } from "../open-store.ts";
import { beginSession } from "./session-driver.ts";

/** Opens a store, writes to it with the argument `write`, and closes it: `file [write]`. */
const [file, ...wishes] = process.argv.slice(2);
if (file === undefined) throw new Error("which database?");
const store = await openStore({ engine: "sqlite", file }, { clock: Date.now });
if (wishes.includes("write")) await beginSession(store, { title: "from a program" });
await store.close();
process.stdout.write("done");
