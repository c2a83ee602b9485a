import { nameOf } from "../gaia/to-state.ts";
import { openPrinter } from "../terminal/printer.ts";
import { durationText, timeAgo } from "../terminal/time-ago.ts";
import { tellOf, withDesk, type CommonFlags } from "./tracking.ts";

export interface RemovedFlags extends CommonFlags {
  readonly limit?: number;
}

export async function listRemoved(flags: RemovedFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { limit } = flags;
  const { removed, total } = await withDesk(
    flags,
    (desk) => desk.removed.list(limit === undefined ? {} : { limit }),
    { access: "read" },
  );
  if (flags.json === true) return printer.json(removed);
  if (removed.length === 0) return printer.note("No removed session can be restored.");
  const now = Date.now();
  printer.table(
    removed.map(({ id, title, agentName, removedAt, keptUntil }) => [
      id,
      title ?? agentName,
      printer.isForPeople ? timeAgo(removedAt, now) : removedAt,
      printer.isForPeople ? durationText(Math.max(0, Date.parse(keptUntil) - now)) : keptUntil,
    ]),
    [
      { title: "ID" },
      { title: "ABOUT", flexible: true },
      { title: "REMOVED" },
      { title: "KEPT FOR ANOTHER" },
    ],
  );
  if (total > removed.length)
    printer.note(`The newest ${removed.length} of ${total}; --limit shows more.`);
  printer.note("Restore one with: holdfast restore ID");
}

export async function restoreSession(id: string, flags: CommonFlags): Promise<void> {
  const session = await withDesk(flags, (desk) => desk.removed.restore(id), { access: "change" });
  tellOf(session, flags, ({ status }) => `${nameOf(session)} is restored; it is ${status}.`);
}
