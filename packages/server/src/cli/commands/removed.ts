import { defined } from "../../domain/defined.ts";
import { nameOf } from "../gaia/to-state.ts";
import { openPrinter } from "../terminal/printer.ts";
import { durationText, timeAgo } from "../terminal/format.ts";
import { tellOf, withGateway, type CommonFlags } from "./tracking.ts";

export interface RemovedFlags extends CommonFlags {
  readonly limit?: number;
}

export async function listRemoved(flags: RemovedFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { limit } = flags;
  const { removed, total } = await withGateway(
    flags,
    (gateway) => gateway.removed.list(defined({ limit })),
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
    printer.note(`Showing the newest ${removed.length} of ${total}. Pass --limit for more.`);
  printer.note("Restore one with: holdfast restore ID");
}

export async function restoreSession(id: string, flags: CommonFlags): Promise<void> {
  const session = await withGateway(flags, (gateway) => gateway.removed.restore(id), {
    access: "change",
  });
  tellOf(
    session,
    flags,
    ({ status }) => `${nameOf(session)} is restored. Its status is ${status}.`,
  );
}
