import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { PassThrough, Writable } from "node:stream";
import { setImmediate as pass } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished } from "vitest";
import { cleanText } from "../../../packages/server/src/domain/clean-text.ts";
import { AcpAgent } from "../../../packages/server/src/providers/acp/acp-agent.ts";
import { AcpLink } from "../../../packages/server/src/providers/acp/acp-link.ts";
import { ACP_TIMES } from "../../../packages/server/src/providers/acp/acp-times.ts";
import { openSession } from "../../../packages/server/src/providers/acp/open-session.ts";
import type {
  AgentProcess,
  ProcessExit,
} from "../../../packages/server/src/providers/acp/process/spawn-agent.ts";
import { openSecrets } from "../../../packages/server/src/providers/secrets/secrets.ts";
import { createAgentTranslator } from "../../../packages/server/src/providers/acp/translate/subagents.ts";
import type { AgentReport } from "../../../packages/server/src/providers/provider.ts";
import { script, type Step } from "../../../packages/server/src/providers/testing/script.ts";
import { createLateUpdates } from "../../../packages/server/src/providers/acp/wire/late-updates.ts";
import { scriptedDefinition } from "../../../packages/server/src/providers/testing/scripted-provider.ts";
import { TestRuntime } from "../../../packages/server/src/runtime/testing/test-runtime.ts";
import { repeat } from "../../../packages/server/src/domain/testing/repeat.ts";
import { mutate } from "./mutate.ts";
import { randomFrom, seedFor, type Random } from "./random.ts";

const STREAMS = repeat({ short: 600, long: 2_000 });
const RUNS = repeat({ short: 6, long: 15 });
const FIXTURES = path.resolve(
  import.meta.dirname,
  "../../../packages/server/src/providers/acp/fixtures",
);
const TIMES = {
  ...ACP_TIMES,
  startMs: 60_000,
  quietMs: 0,
  lateMs: 0,
  exitMs: 200,
  urgentMs: 10,
  killMs: 10,
};
const SESSION = "the-session";

interface RecordedLine {
  readonly dir?: string;
  readonly msg?: {
    readonly id?: unknown;
    readonly method?: string;
    readonly params?: object;
    readonly result?: object;
  };
}

/** The recorded output of real agents, by agent. */
const RECORDINGS = recordingsIn(FIXTURES, ".jsonl");
/** The same in version 2 of the protocol. */
const SECOND_RECORDINGS = recordingsIn(path.join(FIXTURES, "versions"), "-2.jsonl");

function recordingsIn(folder: string, ending: string): readonly (readonly RecordedLine[])[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) =>
      readFileSync(path.join(folder, name), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line): RecordedLine => JSON.parse(line))
        .filter(({ dir, msg }) => dir === "agent" && msg !== undefined),
    );
}

/** A part of a recording, rewritten for our session and prompt. */
function recordingPart(random: Random, promptId: unknown, version: 1 | 2 = 1): readonly string[] {
  const recordings = version === 1 ? RECORDINGS : SECOND_RECORDINGS;
  const recording = recordings[random.below(recordings.length)] ?? [];
  const from = random.below(recording.length);
  const messages = recording.slice(from, from + 5 + random.below(40)).map(({ msg = {} }) => {
    const params =
      msg.params === undefined ? {} : { params: { ...msg.params, sessionId: SESSION } };
    const id = msg.method === undefined ? { id: promptId } : {};
    return { jsonrpc: "2.0", ...msg, ...params, ...id };
  });
  const beforeEnd = messages.filter(
    (message) => message.method !== undefined || random.chance(0.05),
  );
  const update = { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" };
  const end =
    version === 1
      ? [{ jsonrpc: "2.0", id: promptId, result: { stopReason: "end_turn" } }]
      : [
          { jsonrpc: "2.0", id: promptId, result: { messageId: "m" } },
          { jsonrpc: "2.0", method: "session/update", params: { sessionId: SESSION, update } },
        ];
  return [...beforeEnd, ...end].map((message) => JSON.stringify(message));
}

/** An agent process that starts normally and then writes mutated output. */
function fakeProcess(
  random: Random,
  version: 1 | 2,
): AgentProcess & { readonly written: () => number } {
  const stdout = new PassThrough({ highWaterMark: 64 * 1024 });
  const exit = Promise.withResolvers<ProcessExit>();
  let isGone = false;
  let written = 0;
  const end = (): void => {
    if (isGone) return;
    isGone = true;
    stdout.end();
    exit.resolve({ code: 0, signal: null });
  };
  const write = (bytes: Buffer): void => {
    written += bytes.length;
    // In chunks, as from a pipe.
    for (let from = 0; from < bytes.length;) {
      const length = 1 + random.below(random.chance(0.1) ? 7 : 16_384);
      stdout.write(bytes.subarray(from, from + length));
      from += length;
    }
  };
  const answer = (request: string): void => {
    const { id, method } = JSON.parse(request);
    if (method === undefined || id === undefined || isGone) return;
    const isMutated = random.chance(0.03);
    const reply = (result: object): void => {
      const line = JSON.stringify({ jsonrpc: "2.0", id, result });
      write(isMutated ? mutate([line], random) : Buffer.from(`${line}\n`));
      if (isMutated) end();
    };
    if (method === "initialize") {
      return reply(
        version === 1
          ? { protocolVersion: 1, agentCapabilities: {} }
          : { protocolVersion: 2, info: { name: "fuzzed" }, capabilities: { session: {} } },
      );
    }
    if (method === "session/new") return reply({ sessionId: SESSION });
    if (method !== "session/prompt") return reply({});
    write(random.chance(0.1) ? noise(random) : mutate(recordingPart(random, id, version), random));
    end();
  };
  let buffered = "";
  const stdin = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const lines = (buffered + chunk.toString()).split("\n");
      buffered = lines.pop() ?? "";
      for (const line of lines) answer(line);
      done();
    },
  });
  stdin.on("error", () => {});
  return {
    pid: 2 ** 22 + 1,
    stdin,
    stdout,
    stderr: () => ({ text: "", isCut: false }),
    signal: end,
    exited: exit.promise,
    get isGone() {
      return isGone;
    },
    written: () => written,
  };
}

function noise(random: Random): Buffer {
  return Buffer.from(Array.from({ length: random.below(5_000) }, () => random.below(256)));
}

/** Runs one prompt, and returns its end and all reports. */
async function runPrompt(random: Random): Promise<{
  readonly end: string;
  readonly reports: readonly AgentReport[];
  readonly written: number;
}> {
  const version = random.chance(0.4) ? 2 : 1;
  const process = fakeProcess(random, version);
  const reports: AgentReport[] = [];
  const definition = scriptedDefinition();
  const link = new AcpLink({
    title: "Fuzzed agent",
    protocol: version === 1 ? 1 : "auto",
    process,
    translator: createAgentTranslator(),
    late: createLateUpdates(false),
    journal: null,
    redactor: openSecrets().redactor,
    onSecret: () => {},
    times: TIMES,
    onReport: (report) => {
      reports.push(report);
      return random.chance(0.02) ? pass() : undefined;
    },
  });
  try {
    const session = await openSession({
      link,
      definition,
      request: {
        workspace: { path: "/repo", descriptor: null },
        model: null,
        resume: null,
        signal: AbortSignal.timeout(120_000),
      },
      connections: Promise.resolve({ toolServers: [], userServers: [], directories: [] }),
      environment: {},
      clientVersion: "test",
      clock: Date.now,
    });
    const agent = new AcpAgent({
      definition,
      link,
      session,
      sweep: async () => ({ killed: [], left: [], by: "group" as const }),
      closeJournal: async () => {},
    });
    const { stopReason } = await agent.prompt({
      parts: [{ type: "text", text: "go" }],
      model: null,
    });
    await agent.stop({ urgent: true });
    expect(typeof stopReason).toBe("string");
    return { end: "end", reports, written: process.written() };
  } catch (error) {
    // Rethrows errors that are not the agent's fault.
    const fault = await link.faultOf(error);
    process.signal("SIGKILL");
    return { end: fault.code, reports, written: process.written() };
  }
}

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

describe("an agent's output", () => {
  it(`is accepted or refused, in ${STREAMS} broken streams, and does not stay in memory`, async () => {
    const random = randomFrom(seedFor("agent stdout"));
    const ends = new Map<string, number>();
    let before = 0;
    for (let count = 0; count < STREAMS; count += 1) {
      if (count === 200) before = heapBytes();
      const seed = random.below(2 ** 31);
      const { end, reports, written } = await runPrompt(randomFrom(seed)).catch(
        (error: unknown) => {
          throw new Error(`the stream with seed ${seed} (of ${random.seed}) threw an error`, {
            cause: error,
          });
        },
      );
      ends.set(end, (ends.get(end) ?? 0) + 1);
      const texts = reports.flatMap((report) => (report.report === "text" ? report.text : []));
      expect({ seed, isClean: texts.every((text) => cleanText(text) === text) }).toEqual({
        seed,
        isClean: true,
      });
      // Each update of a tool call is reported with the whole call, once per line of the agent.
      const reported = JSON.stringify(reports).length;
      expect({ seed, isBounded: reported < 200_000 + written * 60 }).toEqual({
        seed,
        isBounded: true,
      });
    }
    expect(heapBytes() - before).toBeLessThan(40_000_000);
    expect(ends.get("end")).toBeGreaterThan(STREAMS / 10);
    expect(STREAMS - (ends.get("end") ?? 0)).toBeGreaterThan(STREAMS / 20);
  });

  it(`ends the run properly, ${RUNS} times, and leaves the session usable`, async () => {
    const random = randomFrom(seedFor("agent runs"));
    const test = await TestRuntime.open({ limits: { retries: 0 } });
    onTestFinished(() => test.close());
    const id = await test.createSession();
    for (let count = 0; count < RUNS; count += 1) {
      const raw = mutate(recordingPart(random, random.below(6)), random).toString();
      const steps: readonly Step[] = [
        { step: "raw", text: raw.length > 100_000 ? raw.slice(0, 100_000) : raw },
        { step: "raw", text: "\n" },
        { step: "say", text: "after it" },
      ];
      const { run } = await test.send(id, script(...steps));
      const whole = await untilEnded(test, { id, runId: run.id });
      expect({ seed: random.seed, count, state: whole.session.state }).toEqual({
        seed: random.seed,
        count,
        state: "idle",
      });
      const { status, endedAt } = (await test.store.readRun(run.id)) ?? {};
      expect(["completed", "failed", "cancelled", "interrupted"]).toContain(status);
      expect(endedAt).toEqual(expect.any(Number));
    }
    expect((await test.store.health()).setAside).toBe(0);
  });
});

/** Waits for the end of the run. Answers the requests in the stream. */
async function untilEnded(
  test: TestRuntime,
  { id, runId }: { readonly id: string; readonly runId: string },
) {
  for (;;) {
    const whole = await test.until(id, ({ session }) => session.state !== "running");
    const [open] = whole.session.suspensions;
    if (open === undefined) {
      const run = await test.store.readRun(runId);
      if (run?.endedAt !== null) return whole;
      await pass();
      continue;
    }
    const options = Object(open.request)["options"];
    const first: unknown = Array.isArray(options) ? options[0]?.optionId : null;
    const result = await test.runtime.answer({
      sessionId: id,
      suspensionId: open.id,
      answer: typeof first === "string" ? first : "allow",
      by: "ada",
    });
    if (!result.ok) await test.runtime.cancel({ sessionId: id, reason: "it cannot be answered" });
  }
}
