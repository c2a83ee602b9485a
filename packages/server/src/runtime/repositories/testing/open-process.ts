import { openWorkspaceRoot } from "../workspace-root.ts";

const NOBODY = 65_534;

/** Opens a path and prints what came of it. Root may look at everything, so it becomes nobody first. */
const [, , root = "", asked = ""] = process.argv;
// Not by starting as nobody: who may not enter the folder of this program could not read it.
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}
const violations: string[] = [];
const opening = await openWorkspaceRoot(root, {
  onViolation: ({ reason }) => violations.push(reason),
});
const opened = await opening.open(asked);
process.stdout.write(JSON.stringify({ opened, violations }));
