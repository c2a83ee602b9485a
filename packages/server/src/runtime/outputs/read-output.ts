import { realpath } from "node:fs/promises";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { Message } from "../../domain/message.ts";
import { matchesPattern, type OutputFiles } from "../../providers/output-files.ts";
import { NOTHING_HELD, type Redactor } from "../../providers/secrets/redactor.ts";
import type { RuntimeContext } from "../context.ts";
import { refuse, type Reply } from "../reply.ts";
import { withSession, type SessionSnapshot } from "../session-snapshot.ts";
import { openOutputFile, type OpenFile } from "./open-output-file.ts";
import { namedFiles, outputText } from "./output-text.ts";

/** The output of a tool call. `file`: the agent left the whole in a file; otherwise it is the stored text. */
export interface ToolOutput {
  readonly source: "stored" | "file";
  /** Bytes that are left out. The text says where. */
  readonly omittedBytes: number;
  /** Must be read to the end or returned, because a file is open. */
  readonly text: AsyncGenerator<string, void, undefined>;
}

export interface ReadOutput {
  readonly sessionId: string;
  readonly messageId: string;
}

type Context = Pick<RuntimeContext, "store" | "provider" | "folders" | "openDirectory">;

/** More of a file is not read. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

export function readOutput(
  context: Context,
  { sessionId, messageId }: ReadOutput,
): Promise<Reply<{ readonly output: ToolOutput }>> {
  return withSession(context.store, sessionId, async (session) => {
    const message = await context.store.readMessage(sessionId, messageId);
    const stored = message === null ? null : outputText(message.content);
    if (message === null || stored === null)
      return refuse("message_not_found", "The session has no such tool call.");
    const files = await outputFilesOf(context, message);
    if (files !== null) {
      for (const name of namedFiles(stored)) {
        const file = await openAllowed(context, { session, files, name });
        if (file !== null) return { output: fileOutput(file, files.redactor) };
      }
    }
    const { text, omittedBytes } = stored;
    return { output: { source: "stored" as const, omittedBytes, text: once(text) } };
  });
}

/** The files of the provider that made the call. A copy of a session has no runs and shows what is stored. */
async function outputFilesOf(
  { store, provider }: Context,
  { runId }: Message,
): Promise<OutputFiles | null> {
  const run = runId === null ? null : await store.readRun(runId);
  const name = run?.provider ?? null;
  return name === null ? null : (provider(name)?.outputFiles ?? null);
}

async function openAllowed(
  context: Context,
  request: {
    readonly session: SessionSnapshot;
    readonly files: OutputFiles;
    readonly name: string;
  },
): Promise<OpenFile | null> {
  const folders = await foldersOf(context, request.session);
  const patterns = await Promise.all(
    request.files.patterns.map(async ({ base, names }) => {
      const real = await realpath(base).catch(() => null);
      return real === null ? [] : [{ real, names }];
    }),
  );
  return openOutputFile(
    request.name,
    (file) =>
      folders.some((folder) => isVisible(file, folder)) ||
      patterns.flat().some(({ real, names }) => matchesPattern(file, real, names)),
  );
}

/** The real paths of the repository and the further directories, as far as they are still there. */
async function foldersOf(
  { folders, openDirectory }: Context,
  session: SessionSnapshot,
): Promise<readonly string[]> {
  const opened = await Promise.all([
    folders.open(session),
    ...session.directories.map((directory) => openDirectory(directory)),
  ]);
  const workspaces = opened.flatMap((reply) => (reply.ok ? [reply.workspace] : []));
  await Promise.all(workspaces.map((workspace) => workspace.close()));
  return workspaces.map((workspace) => workspace.path);
}

/** Whether the file is inside the folder. The data of Git may contain credentials. */
function isVisible(file: string, folder: string): boolean {
  const names = path.relative(folder, file).split(path.sep);
  return names[0] !== "" && names[0] !== ".." && !names.includes(".git");
}

function fileOutput({ handle, size }: OpenFile, redactor: Redactor): ToolOutput {
  const omittedBytes = Math.max(0, size - MAX_FILE_BYTES);
  return {
    source: "file",
    omittedBytes,
    text: redacted(pieces({ handle, size }, omittedBytes), redactor),
  };
}

async function* pieces({ handle }: OpenFile, omittedBytes: number): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  try {
    const stream = handle.createReadStream({ end: MAX_FILE_BYTES - 1, autoClose: false });
    for await (const chunk of stream) if (Buffer.isBuffer(chunk)) yield decoder.write(chunk);
    yield decoder.end();
  } finally {
    await handle.close();
  }
  if (omittedBytes > 0) yield `\n[… ${omittedBytes.toLocaleString("en")} bytes left out …]\n`;
}

/** A secret may begin in one piece and end in the next. */
async function* redacted(
  texts: AsyncIterable<string>,
  redactor: Redactor,
): AsyncGenerator<string, void, undefined> {
  let held = NOTHING_HELD;
  for await (const piece of texts) {
    const next = redactor.next(held, piece);
    held = next.held;
    if (next.text !== "") yield next.text;
  }
  const { text } = redactor.release(held);
  if (text !== "") yield text;
}

async function* once(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}
