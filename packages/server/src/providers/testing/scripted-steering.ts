import { setTimeout as pause } from "node:timers/promises";
import { fileAppears } from "./scripted-ask.ts";
import type { Memory } from "./scripted-memory.ts";
import type { ScriptedOptions } from "./scripted-options.ts";
import { chunk, updateOf } from "./scripted-steps.ts";
import type { Wire } from "./scripted-wire.ts";

export function steeringMeta({ capabilities }: ScriptedOptions): object {
  return capabilities?.steering === true ? { _meta: { steering: { supported: true } } } : {};
}

interface Steering {
  readonly wire: Wire;
  readonly id: unknown;
  readonly params: Record<string, unknown>;
  readonly isWorking: boolean;
  readonly options: ScriptedOptions;
  readonly memory: Memory;
}

/**
 * Takes a message during a prompt and says `heard: <text>`. Words in it choose another behaviour: `REFUSE` and `FAIL` are not
 * taken, `EXIT` exits before the reply, `MUTE` never replies, `AFTER <file>` replies when the file appears, `ODD` replies
 * with nothing that is known.
 */
export async function steer({
  wire,
  id,
  params,
  isWorking,
  options,
  memory,
}: Steering): Promise<void> {
  if (options.capabilities?.steering !== true)
    return wire.send({ id, error: { code: -32601, message: "no such method" } });
  const sessionId = String(params["sessionId"]);
  const [first] = params["prompt"] as readonly { readonly text?: string }[];
  const text = first?.text ?? "";
  if (!isWorking || text.includes("REFUSE"))
    return wire.send({ id, result: { outcome: "promptRequired", reason: "noRunningTurn" } });
  if (text.includes("FAIL")) return wire.send({ id, result: { outcome: "failed" } });
  if (text.includes("ERROR")) return wire.send({ id, error: { code: -32602, message: "not now" } });
  if (text.includes("MUTE")) return;
  if (text.includes("ODD")) return wire.send({ id, result: { outcome: "thinking" } });
  memory.remember(sessionId, [{ role: "user", text }]);
  if (text.includes("EXIT")) process.exit(9);
  const file = /AFTER (\S+)/u.exec(text)?.[1];
  if (file !== undefined) await fileAppears(file, new AbortController().signal);
  wire.send({ id, result: { outcome: "injected" } });
  wire.send(updateOf(sessionId, chunk("agent_message_chunk", `heard: ${text}`)));
  await pause(0);
}
