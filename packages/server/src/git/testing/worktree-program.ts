/** Acts as a server that makes or removes a worktree. The test kills it. */
import { createWorktree } from "../worktree/create-worktree.ts";
import { removeWorktree } from "../worktree/remove-worktree.ts";

const [act = "", request = "", options = ""] = process.argv.slice(2);
process.stdout.write("begun\n");
if (act === "create") await createWorktree(JSON.parse(request), JSON.parse(options));
else await removeWorktree(JSON.parse(request), JSON.parse(options));
process.stdout.write("done\n");
