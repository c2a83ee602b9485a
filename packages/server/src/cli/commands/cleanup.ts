import { removeJournals } from "../../providers/journal.ts";
import { cleanUp as removeStale, type CleanedUp } from "../../runtime/cleanup.ts";
import { journalFolder } from "../data-folder.ts";
import { databaseSettings } from "../desk/find-server.ts";
import { openDatabase } from "../desk/open-desk.ts";
import { nameOf } from "../gaia/to-state.ts";
import { openPrinter, type Printer } from "../print/printer.ts";
import { openProgress } from "../print/progress.ts";
import { timeAgo } from "../print/time-ago.ts";
import type { CommonFlags } from "./tracking.ts";
import { counted } from "../counted.ts";

export interface CleanupFlags extends CommonFlags {
  readonly hours: number;
  readonly dryRun?: true;
}

const HOUR_MS = 3_600_000;

/** Straight on the database, also beside a server, which notices. */
export async function cleanUp(flags: CleanupFlags): Promise<void> {
  const printer = openPrinter(flags);
  const settings = await databaseSettings(flags);
  const store = await openDatabase(settings, { access: flags.dryRun === true ? "read" : "change" });
  const progress = await openProgress(printer, "Removing");
  try {
    const now = Date.now();
    const cleaned = await removeStale(store, {
      now,
      olderThanMs: flags.hours * HOUR_MS,
      dryRun: flags.dryRun === true,
      onProgress: progress.report,
      forgetSessions: (sessionIds) =>
        removeJournals(journalFolder(settings.dataFolder), sessionIds),
    });
    progress.end();
    tell(printer, { cleaned, flags, now });
  } finally {
    progress.end();
    await store.close();
  }
}

function tell(
  printer: Printer,
  {
    cleaned,
    flags,
    now,
  }: { readonly cleaned: CleanedUp; readonly flags: CleanupFlags; readonly now: number },
): void {
  const { removed, first, kept } = cleaned;
  const isDry = flags.dryRun === true;
  const names = first.map((session) => ({
    agent_id: nameOf(session),
    last_active: new Date(session.lastActiveAt).toISOString(),
  }));
  if (!printer.isForPeople)
    return printer.json({ removed, dry_run: isDry, kept, ...(isDry && { first: names }) });
  printer.line(`${isDry ? "Would remove" : "Removed"} ${counted(removed, "session")}.`);
  if (isDry) {
    for (const { agent_id: name, last_active: at } of names)
      printer.line(`  ${name}  ${timeAgo(at, now)}`, printer.paint.dim);
    if (removed > names.length) printer.note(`  and ${removed - names.length} more`);
  }
  const others = Object.entries(kept).filter(([, count]) => count > 0);
  if (others.length > 0)
    printer.note(`Kept: ${others.map(([why, count]) => `${count} ${why}`).join(", ")}.`);
}
