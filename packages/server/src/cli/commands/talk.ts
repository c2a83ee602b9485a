import type { ContinuityPolicy, DeliveryMode } from "@holdfast/protocol";
import { openDesk } from "../desk/open-desk.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { openPrinter } from "../terminal/printer.ts";
import type { CommonFlags } from "./tracking.ts";

export interface SendFlags extends CommonFlags {
  readonly provider?: string;
  readonly model?: string;
  readonly delivery?: DeliveryMode;
  readonly continuity?: ContinuityPolicy;
  readonly detach?: true;
}

/** Through a server the answer is shown; without one the message can only be left for the next. */
export async function send(
  id: string,
  words: readonly string[],
  flags: SendFlags,
): Promise<number> {
  const desk = await openDesk(flags, { access: "change", withProviders: true });
  try {
    const text = words.join(" ");
    const { terminal, ...printer } = openPrinter(flags);
    if (desk.server !== null) {
      const { sendCommand } = await import("../talk/send-command.ts");
      return await sendCommand({ ...flags, client: desk.server, sessionId: id, text, terminal });
    }
    if (flags.detach !== true || text === "-")
      throw new CommandFailure(
        "No server was found for this database, so no agent can answer. Start one: holdfast serve. Or leave the message for it: --detach",
      );
    const { provider, model, delivery = "queue", continuity = "auto" } = flags;
    const sent = await desk.sessions.send(id, { text, provider, model, delivery, continuity });
    if (printer.isForPeople) printer.line("Queued. It is delivered when a server starts.");
    else printer.json({ message_id: sent.message.id, run_id: sent.run.id, queued: sent.queued });
    return EXIT.done;
  } finally {
    await desk.close();
  }
}

export interface WatchFlags extends CommonFlags {
  readonly since?: number;
}

export async function watch(id: string, flags: WatchFlags): Promise<number> {
  const desk = await openDesk(flags, { access: "read" });
  try {
    if (desk.server === null)
      throw new CommandFailure(
        "No server was found for this database, so nothing happens. Start one: holdfast serve",
      );
    const { terminal } = openPrinter(flags);
    const { watchCommand } = await import("../talk/watch-command.ts");
    return await watchCommand({ ...flags, client: desk.server, sessionId: id, terminal });
  } finally {
    await desk.close();
  }
}
