import { Readable, Writable } from "node:stream";
import type { AgentHost, FoundAgent } from "./agent-host.ts";
import type { HostedProcess } from "./hosted-process.ts";

/** An agent that has ended while no server was there: what it has said until then can still be read. */
export function openDeadProcess(
  found: FoundAgent,
  host: Pick<AgentHost, "discard">,
): HostedProcess {
  const { history } = found;
  const exit = history.exit ?? { code: null, signal: null, why: "host" as const };
  const stdin = new Writable({
    write: (_chunk, _encoding, done) => done(new Error("it has ended")),
  });
  stdin.on("error", () => {});
  return {
    pid: history.head.pid,
    stdin,
    stdout: Readable.from(history.output, { objectMode: false }),
    stderr: () => ({ text: "", isCut: false }),
    signal: () => {},
    exited: Promise.resolve({ code: exit.code, signal: exit.signal }),
    isGone: true,
    host: {
      id: found.id,
      history,
      checkpoint: () => {},
      setFarewell: () => {},
      keepNothing: () => {},
      forget: () => host.discard(found),
      leave: () => {},
      endedBy: exit.why,
    },
  };
}
