import { randomUUID } from "node:crypto";
import { constants, fstatSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import type { Stage } from "../stage.ts";
import { READ_FLAGS, withFile } from "./read-file.ts";

const FILE = "HOLDFAST-DEMO.md";
const HEADING = "# Written by Holdfast's demo agent\n\n";
const MAX_BYTES = 256 * 1024;

/** Adds a line to the demo's own file, if allowed. The same request always asks the same question. */
export async function editFile(stage: Stage, note: string): Promise<void> {
  const file = path.join(stage.cwd, FILE);
  await stage.say(`I would like to add a line to \`${FILE}\`.\n\n`);
  const notes = readNotes(file);
  if (notes === null)
    return stage.say(`${FILE} is not a regular file, or it is too large. I left it alone.`);
  const { oldText } = notes;
  const line = `- ${note}\n`;
  const tool = stage.startTool({
    toolCallId: `demo-edit-${randomUUID()}`,
    name: "edit",
    title: `Edit ${FILE}`,
    kind: "edit",
    status: "pending",
    rawInput: { path: FILE, line: note },
    locations: [{ path: file }],
    content: [{ type: "diff", path: file, oldText, newText: (oldText ?? HEADING) + line }],
  });
  if (!(await tool.isAllowed())) return stage.say("You did not allow it, so I changed nothing.");
  withFile(file, APPEND_FLAGS, (descriptor) =>
    writeSync(descriptor, oldText === null ? HEADING + line : line),
  );
  tool.update({ status: "completed", rawOutput: { path: FILE, written: line.length } });
  await stage.say(`Done. I added the line to \`${FILE}\`.`);
}

const APPEND_FLAGS =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** Null if the file must not be touched: a symbolic link could lead out of the repository. */
function readNotes(file: string): { readonly oldText: string | null } | null {
  try {
    return withFile(file, READ_FLAGS, (descriptor) => {
      const stats = fstatSync(descriptor);
      const isUsable = stats.isFile() && stats.size <= MAX_BYTES;
      return isUsable ? { oldText: readFileSync(descriptor, "utf8") } : null;
    });
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT"
      ? { oldText: null }
      : null;
  }
}
