import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import type { Stage } from "../stage.ts";

const FILE = "HOLDFAST-DEMO.md";
const HEADING = "# Written by Holdfast's demo agent\n\n";
const MAX_BYTES = 256 * 1024;

/** Adds a line to the demo's own file, if allowed. The same request always asks the same question. */
export async function editFile(stage: Stage, note: string): Promise<void> {
  const file = path.join(stage.cwd, FILE);
  const toolCallId = `demo-edit-${randomUUID()}`;
  await stage.say(`I would like to add a line to \`${FILE}\`.\n\n`);
  const notes = readNotes(file);
  if (notes === null)
    return stage.say(`${FILE} is not a regular file, or it is too large. I left it alone.`);
  const { oldText } = notes;
  const line = `- ${note}\n`;
  const toolCall = {
    toolCallId,
    name: "edit",
    title: `Edit ${FILE}`,
    kind: "edit",
    status: "pending",
    rawInput: { path: FILE, line: note },
    locations: [{ path: file }],
    content: [{ type: "diff", path: file, oldText, newText: (oldText ?? HEADING) + line }],
  };
  stage.update({ sessionUpdate: "tool_call", ...toolCall });
  if (!(await stage.ask(toolCall))) {
    stage.update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "failed",
      content: [{ type: "content", content: { type: "text", text: "Permission denied." } }],
    });
    return stage.say("You did not allow it, so I changed nothing.");
  }
  stage.update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
  appendTo(file, oldText === null ? HEADING + line : line);
  stage.update({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: "completed",
    rawOutput: { path: FILE, written: line.length },
  });
  await stage.say(`Done. I added the line to \`${FILE}\`.`);
}

/** Null if the file must not be touched: a symbolic link could lead out of the repository. */
function readNotes(file: string): { readonly oldText: string | null } | null {
  try {
    const descriptor = openSync(
      file,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const { size } = fstatSync(descriptor);
      const isOurs = fstatSync(descriptor).isFile() && size <= MAX_BYTES;
      return isOurs ? { oldText: readFileSync(descriptor, "utf8") } : null;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT"
      ? { oldText: null }
      : null;
  }
}

function appendTo(file: string, text: string): void {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const descriptor = openSync(file, flags, 0o644);
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}
