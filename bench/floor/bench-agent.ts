/**
 * The agent of both servers. It speaks ACP over stdio and costs almost nothing, so that the benchmark measures the server.
 * A prompt is `@stamp count everyMs first` (numbered pieces with the time of writing) or `@flood count` (as fast as the
 * pipe accepts them). Every answer starts with the time at which its prompt was read; that of `@one` is a single piece with
 * both times. `@files count` writes so many files first, in its folder.
 */
import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";

const BATCH = 200;

// Servers start the agent in its own process session, which does not inherit the priority of the benchmark.
const [priority] = process.argv.slice(2);
if (priority !== undefined) {
  try {
    setPriority(Number(priority));
    writeFileSync("/proc/self/autogroup", priority);
  } catch {
    // Not allowed in a sandbox.
  }
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const readAt = process.hrtime.bigint();
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) take(JSON.parse(line), readAt);
});
process.stdin.on("end", () => process.exit(0));
process.stdout.on("error", () => process.exit(0));

interface Request {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: {
    readonly sessionId: string;
    readonly prompt: readonly { readonly text: string }[];
  };
}

function take({ id, method, params }: Request, readAt: bigint): void {
  if (method === "initialize") return answer(id, { protocolVersion: 1, agentCapabilities: {} });
  if (method === "session/new") return answer(id, { sessionId: "1" });
  if (method !== "session/prompt" || params === undefined) {
    if (id !== undefined) answer(id, {});
    return;
  }
  const text = params.prompt.at(-1)?.text ?? "";
  if (text === "@one") {
    say(params.sessionId, `read:${readAt} 0:${process.hrtime.bigint()} `);
    return answer(id, { stopReason: "end_turn" });
  }
  const [, what, count = "1", everyMs = "0", first = "0"] =
    /@(stamp|flood) (\d+) ?(\d*) ?(\d*)/u.exec(text) ?? [];
  say(params.sessionId, `read:${readAt} `);
  const files = Number(/@files (\d+)/u.exec(text)?.[1] ?? 0);
  for (let at = 0; at < files; at += 1) writeFileSync(`changed-${at}.txt`, `${readAt}\n`);
  const end = (): void => answer(id, { stopReason: "end_turn" });
  if (what === "flood") flood(params.sessionId, Number(count), end);
  else
    stamp(params.sessionId, {
      count: Number(count),
      everyMs: Number(everyMs),
      first: Number(first),
      end,
    });
}

interface Stamps {
  readonly count: number;
  readonly everyMs: number;
  readonly first: number;
  readonly end: () => void;
}

function stamp(session: string, { count, everyMs, first, end }: Stamps): void {
  const startedMs = performance.now();
  let number = 0;
  const next = (): void => {
    say(session, `${first + number}:${process.hrtime.bigint()} `);
    number += 1;
    if (number === count) return end();
    setTimeout(next, Math.max(0, startedMs + number * everyMs - performance.now()));
  };
  next();
}

/** Creates the lines beforehand, so that the benchmark measures their reader. */
function flood(session: string, count: number, end: () => void): void {
  const line = lineOf(session, "some words ~ ");
  const lines = Buffer.from(line.repeat(BATCH));
  let sent = 0;
  const next = (): void => {
    if (sent + BATCH > count) {
      process.stdout.write(line.repeat(count - sent) + lineOf(session, "all-sent "));
      return end();
    }
    sent += BATCH;
    process.stdout.write(lines, next);
  };
  next();
}

function say(session: string, text: string): void {
  process.stdout.write(lineOf(session, text));
}

function lineOf(sessionId: string, text: string): string {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } })}\n`;
}

function answer(id: unknown, result: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
