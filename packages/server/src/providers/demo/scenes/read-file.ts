import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import path from "node:path";
import type { Stage } from "../stage.ts";
import { insideRepository } from "./inside.ts";

const MAX_BYTES = 16 * 1024;
const MAX_NAMES = 40;

/** Reads a file of the repository; without a name it lists what is there. */
export async function readFile(stage: Stage, name: string | null): Promise<void> {
  const toolCallId = `demo-read-${randomUUID()}`;
  const shown = name ?? "the repository";
  stage.update({
    sessionUpdate: "tool_call",
    toolCallId,
    name: "read",
    title: `Read ${shown}`,
    kind: "read",
    status: "pending",
    rawInput: { path: name ?? "." },
    locations: [{ path: path.resolve(stage.cwd, name ?? ".") }],
  });
  await stage.pause(100);
  stage.update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
  await stage.pause(100);
  const found = look(stage.cwd, name ?? ".");
  stage.update({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: found.ok ? "completed" : "failed",
    content: [{ type: "content", content: { type: "text", text: found.text } }],
  });
  await stage.say(
    found.ok ? summary(shown, found.text) : `I could not read ${shown}: ${found.text}`,
  );
}

function summary(name: string, text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const first = lines[0]?.slice(0, 100) ?? "";
  return lines.length === 0
    ? `I read ${name}. It is empty.`
    : `I read ${name}: ${lines.length} lines that are not empty. The first is:\n\n> ${first}`;
}

type Found = { readonly ok: boolean; readonly text: string };

function look(cwd: string, name: string): Found {
  const file = insideRepository(cwd, name);
  if (file === null) return { ok: false, text: "There is no such file inside the repository." };
  try {
    return { ok: true, text: contentOf(file) };
  } catch {
    return { ok: false, text: "It cannot be read as a file." };
  }
}

/** Never waits: what is neither a file nor a folder could keep us for ever. */
function contentOf(file: string): string {
  const descriptor = openSync(
    file,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    const kind = fstatSync(descriptor);
    if (kind.isDirectory()) return listing(file);
    if (!kind.isFile()) throw new Error("neither a file nor a folder");
    const bytes = Buffer.alloc(MAX_BYTES);
    const size = readSync(descriptor, bytes);
    const text = bytes.subarray(0, size).toString("utf8");
    return kind.size > size ? `${text}\n[the first ${size} of ${kind.size} bytes]` : text;
  } finally {
    closeSync(descriptor);
  }
}

function listing(folder: string): string {
  const names = readdirSync(folder, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted();
  const more = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
