import { createClient, type StreamEvent } from "@holdfast/client";
import { afterEach } from "vitest";
import { sendCommand, type SendCommandOptions } from "../../talk/send-command.ts";
import { fakeTerminal, handClock, type FakeTerminal, type HandClock } from "./fake-terminal.ts";
import { delta, message, ran, run, sent, shown, wholeSession } from "./samples.ts";
import { openScriptedServer, type ScriptedServer } from "./scripted-server.ts";

type ServerOptions = Parameters<typeof openScriptedServer>[0];

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

export interface Sending extends FakeTerminal, HandClock {
  readonly server: ScriptedServer;
  /** The exit code of the command. */
  readonly code: Promise<number>;
}

/** `send` against a scripted server; closed after each test. */
export async function sending({
  terminal: how = { isTerminal: false },
  server: more = {},
  ...options
}: {
  terminal?: Parameters<typeof fakeTerminal>[0];
  server?: Partial<ServerOptions>;
} & Partial<Omit<SendCommandOptions, "terminal">> = {}): Promise<Sending> {
  const server = await openScriptedServer({ session: wholeSession(), sent: sent(), ...more });
  closing.push(server.close);
  const fake = fakeTerminal(how);
  const clock = handClock();
  const code = sendCommand({
    client: createClient({ url: server.url }),
    sessionId: "s1",
    text: "hello",
    terminal: fake.terminal,
    later: clock.later,
    ...options,
  });
  return { server, ...fake, ...clock, code };
}

export const text = (words: string, complete = true): StreamEvent =>
  shown(message({ seq: 3, content: { type: "text", text: words }, complete }));
export const COMPLETED = run({
  status: "completed",
  stopReason: "end_turn",
  usage: { inputTokens: 1200, outputTokens: 34, cost: { amount: 0.005, currency: "USD" } },
  startedAt: "2026-01-31T12:00:00.000Z",
  endedAt: "2026-01-31T12:00:02.500Z",
});
/** The line about its usage. */
export const USED = "demo · 1,200 tokens in, 34 out · 0.0050 USD · 2.5 s\n";

export async function answerAndEnd(server: ScriptedServer): Promise<void> {
  await server.listened();
  server.happen(text("Hel", false), delta("a1", "lo"), text("Hello"), ran(COMPLETED));
}
