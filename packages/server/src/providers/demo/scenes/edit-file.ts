import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import type { Stage } from "../stage.ts";

const FILE = "HOLDFAST-DEMO.md";
const HEADING = "# Written by Holdfast's demo agent\n\n";
const MAX_BYTES = 256 * 1024;

/** Adds a line to a file of its own, if allowed. The same wish always asks the same question. */
export async function editFile(stage: Stage, note: string): Promise<void> {
  const file = path.join(stage.cwd, FILE);
  const toolCallId = `demo-edit-${randomUUID()}`;
  await stage.say(`I will add a line to \`${FILE}\`, if you allow it.\n\n`);
  const opened = openNotes(file);
  if (opened === null)
    return stage.say(`${FILE} is no ordinary file, or too large. I leave it alone.`);
  const { oldText } = opened;
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
      content: [{ type: "content", content: { type: "text", text: "Not allowed." } }],
    });
    return stage.say("I was not allowed to, so nothing has changed.");
  }
  stage.update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
  appendTo(file, oldText === null ? HEADING + line : line);
  stage.update({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: "completed",
    rawOutput: { path: FILE, written: line.length },
  });
  await stage.say(`Done: the line is in \`${FILE}\`.`);
}

/** Null when it must not be touched: a link could lead out of the repository. */
function openNotes(file: string): { readonly oldText: string | null } | null {
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
