import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from "node:fs";
import path from "node:path";
import { textContent, type Stage } from "../stage.ts";
import { isInside } from "../../sandbox/path-inside.ts";

const MAX_BYTES = 16 * 1024;
const MAX_NAMES = 40;

/** Reads a file of the repository, or lists the repository's folder if no file is named. */
export async function readFile(stage: Stage, name: string | null): Promise<void> {
  const toolCallId = `demo-read-${randomUUID()}`;
  const label = name ?? "the repository";
  const tool = stage.startTool({
    toolCallId,
    name: "read",
    title: `Read ${label}`,
    kind: "read",
    status: "pending",
    rawInput: { path: name ?? "." },
    locations: [{ path: path.resolve(stage.cwd, name ?? ".") }],
  });
  await stage.pause(100);
  tool.update({ status: "in_progress" });
  await stage.pause(100);
  const content = readInside(stage.cwd, name ?? ".");
  const status = content.ok ? "completed" : "failed";
  tool.update({ status, content: textContent(content.text) });
  await stage.say(
    content.ok ? summary(label, content.text) : `I could not read ${label}. ${content.text}`,
  );
}

function summary(name: string, text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const first = lines[0]?.slice(0, 100) ?? "";
  return lines.length === 0
    ? `I read ${name}. It is empty.`
    : `I read ${name}. It has ${lines.length} non-empty lines. The first one is:\n\n> ${first}`;
}

function readInside(cwd: string, name: string): { readonly ok: boolean; readonly text: string } {
  const file = insideRepository(cwd, name);
  if (file === null) return { ok: false, text: "The repository has no such file." };
  try {
    return { ok: true, text: contentOf(file) };
  } catch {
    return { ok: false, text: "It is not a readable file or folder." };
  }
}

/** The real path of a file in the repository; null if it does not exist or leads out of the repository. */
function insideRepository(cwd: string, name: string): string | null {
  try {
    const root = realpathSync(cwd);
    const file = realpathSync(path.resolve(root, name));
    return isInside(file, root) ? file : null;
  } catch {
    return null;
  }
}

function contentOf(file: string): string {
  return withFile(file, READ_FLAGS, (descriptor) => {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) return listing(file);
    if (!stats.isFile()) throw new Error("neither a file nor a folder");
    const bytes = Buffer.alloc(MAX_BYTES);
    const size = readSync(descriptor, bytes);
    const text = bytes.subarray(0, size).toString("utf8");
    return stats.size > size ? `${text}\n[the first ${size} of ${stats.size} bytes]` : text;
  });
}

/** Does not follow links, and does not wait for the writer of a named pipe. */
export const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function withFile<Value>(
  file: string,
  flags: number,
  use: (descriptor: number) => Value,
): Value {
  const descriptor = openSync(file, flags, 0o644);
  try {
    return use(descriptor);
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
