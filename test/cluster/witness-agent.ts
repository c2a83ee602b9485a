/**
 * The scripted agent, with an account of its own: when it was born, what it was given, when that was done,
 * and which other agents of the same repository lived at that moment. No server can change the account.
 */
import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAccount, parseWitnessOptions, WITNESS_VARIABLE, type Sighting } from "./account.ts";

const { node, folder } = parseWitnessOptions(process.env[WITNESS_VARIABLE]);
const repo = path.basename(process.cwd());
const file = path.join(folder, `${repo}.jsonl`);
const prompts = new Map<unknown, string | null>();

note({ event: "born" });
process.on("exit", () => note({ event: "gone" }));
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = ((bytes: string | Uint8Array, ...rest: never[]) => {
  if (typeof bytes === "string") heardFromAgent(bytes);
  return write(bytes, ...rest);
}) as typeof process.stdout.write;

await import("../../packages/server/src/providers/testing/scripted-agent.ts");

let buffered = "";
process.stdin.on("data", (chunk: string | Buffer) => {
  const lines = (buffered + chunk.toString()).split("\n");
  buffered = lines.pop() ?? "";
  for (const line of lines) heardFromServer(JSON.parse(line));
});

function heardFromServer(message: {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] };
}): void {
  if (message.method !== "session/prompt") return;
  const text = message.params?.prompt?.at(-1)?.text ?? "";
  const tag = /^#(\S+)$/mu.exec(text)?.[1] ?? null;
  prompts.set(message.id, tag);
  note({ event: "prompt", tag, others: othersAlive() });
}

function heardFromAgent(line: string): void {
  if (!line.includes('"stopReason"') && !line.includes('"error"')) return;
  const { id }: { readonly id?: unknown } = JSON.parse(line);
  const tag = prompts.get(id);
  if (tag === undefined) return;
  prompts.delete(id);
  note({ event: "done", tag });
}

function note(what: Pick<Sighting, "event" | "tag" | "others">): void {
  const sighting: Sighting = { at: Date.now(), node, pid: process.pid, repo, ...what };
  appendFileSync(file, `${JSON.stringify(sighting)}\n`);
}

function othersAlive(): NonNullable<Sighting["others"]> {
  const account = parseAccount(readFileSync(file, "utf8"));
  const born = account.filter(({ event, pid }) => event === "born" && pid !== process.pid);
  return born
    .filter(({ pid }) => isAlive(pid))
    .map(({ pid, node: theirs }) => ({ pid, node: theirs }));
}

/** A process that has ended and that nobody has waited for is not alive. */
function isAlive(pid: number): boolean {
  try {
    const state = /^State:\s+(\S)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    if (state === "Z" || state === "X") return false;
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("witness-agent");
  } catch {
    return false;
  }
}
