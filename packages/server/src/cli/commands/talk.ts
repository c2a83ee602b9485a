import type { ContinuityPolicy, DeliveryMode, OptionValues } from "@holdfast/protocol";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { openPrinter } from "../terminal/printer.ts";
import { commandLine } from "../terminal/invocation.ts";

export interface SendFlags extends CommonFlags {
  readonly provider?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly option?: OptionValues;
  readonly delivery?: DeliveryMode;
  readonly steer?: true;
  readonly continuity?: ContinuityPolicy;
  readonly detach?: true;
}

/** With a server, streams the answer; without one, can only queue the message. */
export async function send(
  id: string,
  words: readonly string[],
  { steer, ...given }: SendFlags,
): Promise<number> {
  const text = words.join(" ");
  const flags: SendFlags = steer === true ? { ...given, delivery: "steer" } : given;
  const write = async ({ server, sessions }: SessionGateway): Promise<number> => {
    const { terminal, ...printer } = openPrinter(flags);
    if (server !== null) {
      const { sendCommand } = await import("../talk/send-command.ts");
      return sendCommand({ ...flags, client: server, sessionId: id, text, terminal });
    }
    if (flags.detach !== true || text === "-")
      throw new CommandFailure(
        `No server uses this database, so no agent can answer. Start one with: ${commandLine("up")}. Or pass --detach to queue the message for it.`,
      );
    const { provider, model, mode, option, delivery = "queue", continuity = "auto" } = flags;
    const chosen = { provider, model, mode, options: option };
    const sent = await sessions.send(id, { text, ...chosen, delivery, continuity });
    const { sendResult } = await import("../talk/send-result.ts");
    printer.result(
      sendResult(sent.run, []),
      "Queued. The message is delivered when a server starts.",
    );
    return EXIT.done;
  };
  return withGateway(flags, "change", write, { withProviders: true });
}

export async function watch(
  id: string,
  flags: CommonFlags & { readonly since?: number },
): Promise<number> {
  return withGateway(flags, "read", async ({ server }) => {
    if (server === null)
      throw new CommandFailure(
        `No server uses this database, so there are no events. Start one with: ${commandLine("up")}`,
      );
    const { terminal } = openPrinter(flags);
    const { watchCommand } = await import("../talk/watch-command.ts");
    return watchCommand({ ...flags, client: server, sessionId: id, terminal });
  });
}
