import type {
  ChangeCounts,
  ChangedFile,
  Changes,
  PastRun,
  RewindReply,
  RewindRequest,
  WholeSession,
} from "@holdfast/protocol";
import { defined } from "../../domain/defined.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { WrongUsage } from "../failure/wrong-usage.ts";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import { neutralise, onOneLine } from "../terminal/neutralise.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";

export interface ChangesFlags extends CommonFlags {
  readonly run?: string;
  readonly since?: string;
  readonly runs?: true;
  readonly stat?: true;
  readonly patch?: true;
  readonly file?: string;
}

/** Lists the changed files, or prints a patch. */
export async function showChanges(id: string, flags: ChangesFlags): Promise<number> {
  const printer = openPrinter(flags);
  const { run, since, file } = flags;
  const chosen = [flags.runs, flags.stat, flags.patch, file].filter((each) => each !== undefined);
  if (chosen.length > 1)
    throw new WrongUsage("Use only one of --runs, --stat, --patch and --file.");
  if (run !== undefined && since !== undefined)
    throw new WrongUsage("Use either --run or --since.");
  if (flags.runs === true) return showRuns(id, flags, printer);
  const range = defined({ run, since });
  if (flags.patch === true)
    return withGateway(flags, "read", async ({ sessions }) => {
      for await (const text of sessions.patch(id, range)) write(printer, text);
      return EXIT.done;
    });
  if (file !== undefined) {
    const diff = await withGateway(flags, "read", ({ sessions }) =>
      sessions.fileDiff(id, { ...range, path: file }),
    );
    if (flags.json === true) printer.json(diff);
    else write(printer, diff.patch);
    if (diff.isCut) printer.warn("The diff is longer. See: holdfast changes --patch");
    return EXIT.done;
  }
  const changes = await withGateway(flags, "read", ({ sessions }) => sessions.changes(id, range));
  if (flags.json === true) printer.json(changes);
  else if (changes.available) showFiles(printer, changes);
  if (!changes.available && flags.json !== true)
    printer.warn(changes.reason ?? "Nothing is known.");
  return changes.available ? EXIT.done : EXIT.no;
}

/** A patch must stay as it is in a file. On a terminal, control characters are replaced. */
function write({ terminal: { stdout } }: Printer, text: string): void {
  stdout.stream.write(stdout.isTerminal ? neutralise(text) : text);
}

const LETTERS: Readonly<Record<ChangedFile["change"], string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  type_changed: "T",
};

function showFiles(printer: Printer, changes: Changes): void {
  const { files, counts, isCut, tooLarge } = changes;
  const rows = files.map((file) => [
    LETTERS[file.change],
    file.from === null ? file.path : `${file.from} → ${file.path}`,
    lines(file),
    file.by === "session" ? "" : file.by === "others" ? "by others" : "also by others",
  ]);
  if (files.length > 0)
    printer.table(rows, ["", { title: "FILE", flexible: true }, "LINES", "CHANGED"]);
  if (isCut) printer.warn(`Only the first ${files.length} files are listed.`);
  if (tooLarge > 0) printer.warn(`${tooLarge} changed files are too large to be compared.`);
  printer.note(summary(counts));
}

function lines({ added, deleted }: Pick<ChangedFile, "added" | "deleted">): string {
  return added === null || deleted === null ? "binary" : `+${added} -${deleted}`;
}

function summary({ files, added, deleted }: ChangeCounts): string {
  if (files === 0) return "Nothing has changed.";
  return `${files === 1 ? "1 file" : `${files} files`} changed, ${added} lines added, ${deleted} lines deleted.`;
}

async function showRuns(id: string, flags: ChangesFlags, printer: Printer): Promise<number> {
  const { runs, whole } = await withGateway(flags, "read", async ({ sessions }) => ({
    runs: await allRuns(sessions, id),
    whole: await sessions.get(id),
  }));
  if (flags.json === true) {
    printer.json({ runs });
    return EXIT.done;
  }
  const rows = runs.map((run) => [
    run.id,
    run.rewoundAt === null ? run.status : "taken back",
    printer.ago(run.startedAt ?? run.queuedAt),
    run.changes === null ? "" : `${run.changes.files} files, ${lines(run.changes)}`,
    promptOf(run, whole),
  ]);
  printer.table(rows, [
    "RUN",
    "STATUS",
    "STARTED",
    "CHANGES",
    { title: "MESSAGE", flexible: true },
  ]);
  return EXIT.done;
}

async function allRuns(
  sessions: SessionGateway["sessions"],
  id: string,
): Promise<readonly PastRun[]> {
  const runs: PastRun[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await sessions.runs(id, defined({ limit: 100, cursor }));
    runs.push(...page.runs);
    if (page.nextCursor === null) return runs;
    cursor = page.nextCursor;
  }
}

const PROMPT_LENGTH = 60;

function promptOf({ messageId }: PastRun, { messages }: WholeSession): string {
  const text = messages.find(({ id }) => id === messageId)?.content["text"];
  if (typeof text !== "string") return "";
  return text.length > PROMPT_LENGTH ? `${text.slice(0, PROMPT_LENGTH)}…` : text;
}

export interface RewindFlags extends CommonFlags {
  readonly to?: string;
  readonly filesOnly?: true;
  readonly conversationOnly?: true;
  readonly force?: true;
  readonly dryRun?: true;
  readonly undo?: true;
  readonly yes?: true;
}

/** Says what will be done and asks first, on a terminal. */
export async function rewindSession(id: string, flags: RewindFlags): Promise<number> {
  const printer = openPrinter(flags);
  const { to, undo = false, dryRun = false, force = false } = flags;
  if (undo === (to !== undefined)) throw new WrongUsage("Use either --to or --undo.");
  if (flags.filesOnly === true && flags.conversationOnly === true)
    throw new WrongUsage("Use either --files-only or --conversation-only.");
  const request = async ({ sessions }: SessionGateway): Promise<RewindRequest> => ({
    ...(to === undefined ? { undo: await lastRewind(sessions, id) } : { run: to }),
    files: flags.conversationOnly !== true,
    conversation: flags.filesOnly !== true,
    force,
  });
  const plan = await withGateway(flags, "change", async (gateway) =>
    gateway.sessions.rewind(id, { ...(await request(gateway)), dryRun: true }),
  );
  if (dryRun) {
    if (flags.json === true) printer.json(plan);
    else showPlan(printer, plan);
    return EXIT.done;
  }
  if (flags.json !== true) showPlan(printer, plan);
  const { confirmed } = await import("../terminal/confirm.ts");
  const question = undo ? "Take the last rewind back?" : "Rewind? It can be undone with --undo.";
  if (!(await confirmed(printer, { question, yes: flags.yes === true }))) return EXIT.no;
  const done = await withGateway(flags, "change", async (gateway) =>
    gateway.sessions.rewind(id, await request(gateway)),
  );
  const error = done.rewind?.error ?? null;
  if (error !== null) throw new CommandFailure(onOneLine(error), EXIT.failed);
  printer.result(done, undo ? "The rewind is undone." : "Rewound.");
  return EXIT.done;
}

async function lastRewind(sessions: SessionGateway["sessions"], id: string): Promise<string> {
  const { rewind } = await sessions.get(id);
  if (rewind === null)
    throw new CommandFailure("There is no rewind that can be undone: a run has started since.");
  return rewind.id;
}

const KEPT: Readonly<Record<RewindReply["kept"][number]["reason"], string>> = {
  edited_since: "stays: somebody else has changed it since",
  in_the_way: "stays as it is: another file is in its place",
  ignored: "stays: Git ignored it at that time",
  submodule: "stays: it is a repository of its own",
};

const DONE: Readonly<Record<ChangedFile["change"], string>> = {
  added: "is brought back",
  modified: "is restored",
  deleted: "is removed",
  renamed: "is renamed",
  type_changed: "is restored",
};

function showPlan(printer: Printer, { runs, files, kept }: RewindReply): void {
  const count = runs.length === 1 ? "1 run" : `${runs.length} runs`;
  if (runs.length > 0) printer.note(`The conversation: ${count}.`);
  const rows = [
    ...files.map(({ path, change }) => [path, DONE[change]]),
    ...kept.map(({ path, reason }) => [path, KEPT[reason]]),
  ];
  if (rows.length > 0) printer.table(rows, [{ title: "FILE", flexible: true }, ""]);
  else printer.note("No file changes.");
}
