import { openWorkspaceRoot } from "../workspace-root.ts";

const NOBODY = 65_534;

/** Opens a path and prints the result. As root, it becomes nobody first, because root may read everything. */
const [, , root = "", asked = ""] = process.argv;
// Not started as nobody, because nobody may not be able to read this program.
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
