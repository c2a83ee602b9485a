/** Acts as a server that keeps work. The test kills it. */
import { commitAll } from "../keep/commit-all.ts";
import { mergeInto } from "../keep/merge-into.ts";

const [act = "", request = "", options = ""] = process.argv.slice(2);
process.stdout.write("begun\n");
if (act === "commit") await commitAll(JSON.parse(request), JSON.parse(options));
else await mergeInto(JSON.parse(request), JSON.parse(options));
process.stdout.write("done\n");
