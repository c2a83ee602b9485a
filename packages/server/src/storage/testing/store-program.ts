import { openStore } from "../open-store.ts";
import { beginSession } from "./session-driver.ts";

/** A program with nothing to do but open a store, perhaps write, perhaps close it: `file [write] [close]`. */
const [file, ...wishes] = process.argv.slice(2);
if (file === undefined) throw new Error("which database?");
const store = await openStore({ engine: "sqlite", file }, { clock: Date.now });
if (wishes.includes("write")) await beginSession(store, { title: "from a program" });
if (wishes.includes("close")) await store.close();
process.stdout.write("done");
