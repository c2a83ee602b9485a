import { openWorkspaceRoot } from "../workspace-root.ts";

/** Opens a path as whoever runs this, and prints what came of it. */
const [, , root = "", asked = ""] = process.argv;
const violations: string[] = [];
const opening = await openWorkspaceRoot(root, {
  onViolation: ({ reason }) => violations.push(reason),
});
const opened = await opening.open(asked);
process.stdout.write(JSON.stringify({ opened, violations }));
