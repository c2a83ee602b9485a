import type { Session } from "@holdfast/protocol";
import { nameOf } from "../gaia/to-state.ts";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import { openPrinter } from "../terminal/printer.ts";

/** Changes a session, then prints a sentence, or the session with `--json`. */
export async function changeSession(
  flags: CommonFlags,
  change: (gateway: SessionGateway) => Promise<Session>,
  sentence: (name: string, session: Session) => string,
): Promise<void> {
  const session = await withGateway(flags, "change", change);
  openPrinter(flags).result(session, sentence(nameOf(session), session));
}
