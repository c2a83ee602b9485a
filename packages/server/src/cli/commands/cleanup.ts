import { v7 as newId } from "uuid";
import { removeJournals } from "../../providers/journal.ts";
import { bundleFolder } from "../../runtime/bundle/bundle-folder.ts";
import { cleanUp as removeStale, type CleanedUp } from "../../runtime/upkeep/cleanup.ts";
import { executeCommand } from "../../runtime/execute-command.ts";
import type { Removing } from "../../runtime/upkeep/removal.ts";
import type { Store } from "../../storage/store.ts";
import { bundlesIn, journalFolder } from "../settings/data-folder.ts";
import { databaseSettings, type CommonFlags } from "../gateway/find-server.ts";
import { openDatabase } from "../gateway/open-gateway.ts";
import { nameOf } from "../gaia/to-state.ts";
import { toStateTime } from "../gaia/state-time.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { openProgress } from "../terminal/progress.ts";
import { counted } from "../terminal/format.ts";
import { EXIT } from "../exit.ts";
import type { ServeSettings } from "../settings/settings.ts";

export interface CleanupFlags extends CommonFlags {
  readonly hours: number;
  /** Also removes sessions with a repository or messages; each is written to a bundle first. */
  readonly conversations?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

const HOUR_MS = 3_600_000;

/** Works on the database itself; a running server notices the changes. */
export async function cleanUp(flags: CleanupFlags): Promise<number> {
  const printer = openPrinter(flags);
  const settings = await databaseSettings(flags);
  const takesConversations = flags.conversations === true;
  if (takesConversations && flags.dryRun !== true) {
    const { confirmed } = await import("../terminal/confirm.ts");
    const question = `Remove all idle conversations that were inactive for ${flags.hours} hours? Each is written to a bundle first.`;
    if (!(await confirmed(printer, { question, yes: flags.yes === true }))) return EXIT.no;
  }
  const store = await openDatabase(settings, { access: flags.dryRun === true ? "read" : "change" });
  const progress = await openProgress(printer, "Removing");
  try {
    const cleaned = await removeStale(store, {
      now: Date.now(),
      olderThanMs: flags.hours * HOUR_MS,
      dryRun: flags.dryRun === true,
      onProgress: progress.report,
      forgetSessions: (sessionIds) =>
        removeJournals(journalFolder(settings.dataFolder), sessionIds),
      ...(takesConversations && { conversations: removingFrom(store, settings) }),
    });
    progress.end();
    printCleaned(printer, cleaned, flags.dryRun === true);
    return cleaned.failures.length === 0 ? EXIT.done : EXIT.failed;
  } finally {
    progress.end();
    await store.close();
  }
}

function removingFrom(store: Store, { dataFolder }: ServeSettings): Removing {
  return {
    store,
    bundles: bundleFolder(bundlesIn(dataFolder)),
    clock: Date.now,
    execute: (execution) => executeCommand({ store, newId }, execution),
    forgetSession: (sessionId) => removeJournals(journalFolder(dataFolder), [sessionId]),
    log: { info: () => {}, warn: () => {}, error: () => {} },
  };
}

function printCleaned(printer: Printer, cleaned: CleanedUp, isDry: boolean): void {
  const { removed, first, kept, failures } = cleaned;
  const names = first.map((session) => ({
    agent_id: nameOf(session),
    last_active: toStateTime(session.lastActiveAt),
  }));
  if (!printer.isForPeople)
    return printer.gaia({
      removed,
      dry_run: isDry,
      kept,
      ...(isDry && { first: names }),
      ...(failures.length > 0 && { failures }),
    });
  printer.line(`${isDry ? "Would remove" : "Removed"} ${counted(removed, "session")}.`);
  if (isDry) {
    for (const { agent_id: name, last_active: at } of names)
      printer.line(`  ${name}  ${printer.ago(at)}`, printer.paint.dim);
    if (removed > names.length) printer.note(`  and ${removed - names.length} more`);
  }
  for (const { sessionId, reason } of failures)
    printer.line(`Kept ${sessionId}: ${reason}`, printer.paint.red);
  const others = Object.entries(kept).filter(([, count]) => count > 0);
  if (others.length > 0)
    printer.note(`Kept: ${others.map(([why, count]) => `${count} ${why}`).join(", ")}.`);
}
