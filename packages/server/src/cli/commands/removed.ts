import { defined } from "../../domain/defined.ts";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import { openPrinter } from "../terminal/printer.ts";
import { durationText } from "../terminal/format.ts";
import { changeSession } from "./change-session.ts";
import { commandLine } from "../terminal/invocation.ts";

export async function listRemoved(flags: CommonFlags & { readonly limit?: number }): Promise<void> {
  const printer = openPrinter(flags);
  const { removed, total } = await withGateway(flags, "read", (gateway) =>
    gateway.removed.list(defined({ limit: flags.limit })),
  );
  if (flags.json === true) return printer.json({ removed, total });
  if (removed.length === 0) return printer.note("No removed session can be restored.");
  printer.table(
    removed.map(({ id, title, agentName, removedAt, keptUntil }) => [
      id,
      title ?? agentName,
      printer.ago(removedAt),
      printer.isForPeople
        ? durationText(Math.max(0, Date.parse(keptUntil) - Date.now()))
        : keptUntil,
    ]),
    ["ID", { title: "ABOUT", flexible: true }, "REMOVED", "KEPT FOR ANOTHER"],
  );
  if (total > removed.length)
    printer.note(`Showing the newest ${removed.length} of ${total}. Pass --limit for more.`);
  printer.note(`Restore one with: ${commandLine("restore ID")}`);
}

export async function restoreSession(id: string, flags: CommonFlags): Promise<void> {
  await changeSession(
    flags,
    (gateway) => gateway.removed.restore(id),
    (name, { status }) => `${name} is restored. Its status is ${status}.`,
  );
}
