import { failureOf } from "./failure.ts";
import { openStopRequests, type StopRequests } from "./stop-requests.ts";
import type { Terminal } from "./terminal.ts";

/** Does what a command does with a session, and says what failed. Resolves to the exit code; then nothing of it goes on. */
export async function untilStopped(
  { terminal, sessionId }: { readonly terminal: Terminal; readonly sessionId: string },
  work: (how: { readonly stops: StopRequests; readonly signal: AbortSignal }) => Promise<number>,
): Promise<number> {
  const stops = openStopRequests(terminal);
  const over = new AbortController();
  try {
    return await work({ stops, signal: over.signal });
  } catch (error) {
    const { line, exitCode } = failureOf(error, sessionId);
    terminal.stderr.stream.write(`${line}\n`);
    return exitCode;
  } finally {
    over.abort();
    stops.close();
  }
}
