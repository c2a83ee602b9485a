/**
 * The scripted agent, which also records when it starts, which prompts it gets, when they end, and which other agents
 * of the same repository are alive at that time. No server can change these records.
 */
import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { calmNow } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { parseAccount, parseWitnessOptions, WITNESS_VARIABLE, type Sighting } from "./account.ts";

const { node, folder } = parseWitnessOptions(process.env[WITNESS_VARIABLE]);
const repo = path.basename(process.cwd());
const file = path.join(folder, `${repo}.jsonl`);
const prompts = new Map<unknown, string | null>();

record({ event: "born" });
process.on("exit", () => record({ event: "gone" }));
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = ((bytes: string | Uint8Array, ...rest: never[]) => {
  if (typeof bytes === "string") onAgentOutput(bytes);
  return write(bytes, ...rest);
}) as typeof process.stdout.write;

await import("../../packages/server/src/providers/testing/scripted-agent.ts");

let buffered = "";
process.stdin.on("data", (chunk: string | Buffer) => {
  const lines = (buffered + chunk.toString()).split("\n");
  buffered = lines.pop() ?? "";
  for (const line of lines) onServerMessage(JSON.parse(line));
});

function onServerMessage(message: {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] };
}): void {
  if (message.method !== "session/prompt") return;
  const text = message.params?.prompt?.at(-1)?.text ?? "";
  const tag = /^#(\S+)$/mu.exec(text)?.[1] ?? null;
  prompts.set(message.id, tag);
  record({ event: "prompt", tag, others: othersAlive() });
}

function onAgentOutput(line: string): void {
  if (!line.includes('"stopReason"') && !line.includes('"error"')) return;
  const { id }: { readonly id?: unknown } = JSON.parse(line);
  const tag = prompts.get(id);
  if (tag === undefined) return;
  prompts.delete(id);
  record({ event: "done", tag });
}

function record(fields: Pick<Sighting, "event" | "tag" | "others">): void {
  const now = { at: Date.now(), calmAt: calmNow() };
  const sighting: Sighting = { ...now, node, pid: process.pid, repo, ...fields };
  appendFileSync(file, `${JSON.stringify(sighting)}\n`);
}

function othersAlive(): NonNullable<Sighting["others"]> {
  const account = parseAccount(readFileSync(file, "utf8"));
  const born = account.filter(({ event, pid }) => event === "born" && pid !== process.pid);
  return born
    .filter(({ pid }) => isAlive(pid))
    .map(({ pid, node: otherNode }) => ({ pid, node: otherNode }));
}

/** A zombie process is not alive. */
function isAlive(pid: number): boolean {
  try {
    const state = /^State:\s+(\S)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    if (state === "Z" || state === "X") return false;
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("witness-agent");
  } catch {
    return false;
  }
}
