import { defined } from "../../domain/defined.ts";
import {
  LIMITS,
  type ContinuityPolicy,
  type DeliveryMode,
  type OptionValues,
  type SendMessageReply,
  type SendMessageRequest,
} from "@holdfast/protocol";
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { EXIT } from "../exit.ts";
import { GIVE_UP_MS, type FollowOptions } from "./follow-events.ts";
import { followRun, outcomeOf } from "./follow-run.ts";
import { later as laterByClock, type Terminal } from "../terminal/terminal.ts";
import { versionedLine } from "../terminal/json-output.ts";
import { persist } from "../terminal/persist.ts";
import { sendResult } from "./send-result.ts";
import { orStop, type StopRequests, untilStopped } from "../terminal/stop-requests.ts";

export interface SendCommandOptions extends FollowOptions {
  /** `-` reads it from stdin. */
  readonly text: string;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  readonly option?: OptionValues | undefined;
  readonly delivery?: DeliveryMode | undefined;
  readonly continuity?: ContinuityPolicy | undefined;
  /** Returns once the message is stored. */
  readonly detach?: boolean | undefined;
}

/** Sends a message and streams the answer. Resolves to the exit code. */
export function sendCommand(options: SendCommandOptions): Promise<number> {
  const { terminal } = options;
  return untilStopped(options, async ({ stops, signal }) => {
    const isRead = options.text === "-";
    const text = await orStop(isRead ? readText(terminal.stdin, signal) : options.text, stops);
    if (typeof text === "number") return text;
    // After the end of stdin, no answer can be typed.
    const stdin = isRead ? Readable.from([]) : terminal.stdin;
    return send({ ...options, text, terminal: { ...terminal, stdin } }, stops, signal);
  });
}

async function send(
  options: SendCommandOptions,
  stops: StopRequests,
  signal: AbortSignal,
): Promise<number> {
  const { client, sessionId, text, terminal, giveUpMs = GIVE_UP_MS } = options;
  const { later = laterByClock } = options;
  const { stdout, stderr } = terminal;
  if (!/\S/u.test(text)) {
    stderr.stream.write("holdfast: The message must not be empty.\n");
    return EXIT.usage;
  }
  const onBroken = (): void => void stderr.stream.write("Reconnecting…\n");
  const idempotencyKey = randomUUID();
  const begin = async () => {
    const before =
      options.detach === true ? null : await client.sessions.get(sessionId, { signal });
    const sent = await persist(
      (call) => client.sessions.send(sessionId, requestOf(options), { ...call, idempotencyKey }),
      { giveUpMs, later, signal, onBroken },
    );
    return { before, sent };
  };
  const start = await orStop(begin(), stops);
  if (typeof start === "number") return start;
  const { before, sent } = start;
  if (before !== null)
    return followRun({ ...options, sent, before, stops, giveUpMs, later, signal });
  const outcome = sent.steering === undefined ? null : outcomeOf(sent);
  if (outcome !== null) stderr.stream.write(`${outcome}\n`);
  stdout.stream.write(
    options.json === true ? versionedLine(sendResult(sent.run, [], sent)) : idsOf(sent),
  );
  return EXIT.done;
}

function requestOf(options: SendCommandOptions): SendMessageRequest {
  const { text, provider, model, mode, option, delivery, continuity } = options;
  return defined({ text, provider, model, mode, options: option, delivery, continuity });
}

function idsOf({ message, run }: SendMessageReply): string {
  return `session ${run.sessionId}\nmessage ${message.id}\nrun ${run.id}\n`;
}

/** Stops reading when the message is too long. */
async function readText(stdin: Terminal["stdin"], signal: AbortSignal): Promise<string> {
  signal.addEventListener("abort", () => stdin.destroy?.());
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    size += bytes.length;
    if (size > LIMITS.messageBytes) break;
  }
  return Buffer.concat(pieces).toString("utf8");
}
