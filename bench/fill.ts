import { decide } from "../packages/server/src/domain/kernel/decide.ts";
import type { Command } from "../packages/server/src/domain/kernel/command.ts";
import type { SessionEvent } from "../packages/server/src/domain/kernel/event.ts";
import { evolveAll } from "../packages/server/src/domain/kernel/evolve.ts";
import type { Phase } from "../packages/server/src/domain/phase.ts";
import type { Session } from "../packages/server/src/domain/session.ts";
import type { Store } from "../packages/server/src/storage/store.ts";

const BATCH = 256;
const PHASES: readonly Phase[] = ["investigating", "planning", "approval", "executing"];

export const REPOS = ["repo-0", "repo-1", "repo-2", "repo-3", "repo-4"] as const;
const START_AT = Date.UTC(2026, 0, 1);

export function sessionId(index: number): string {
  return `00000000-0000-7000-8000-${index.toString(16).padStart(12, "0")}`;
}

/** Creates typical sessions of orchestrators: named, with two phases, some archived, some suspended. */
export async function fillSessions(store: Store, count: number): Promise<void> {
  for (const [index, id] of REPOS.entries()) {
    await store.addRepo({ id, path: `/repos/${index}`, name: id, createdAt: START_AT });
  }
  for (let start = 0; start < count; start += BATCH) {
    const indexes = Array.from(
      { length: Math.min(BATCH, count - start) },
      (_, offset) => start + offset,
    );
    await Promise.all(
      indexes.map((index) => store.commit({ before: null, events: eventsOf(index) })),
    );
  }
}

/** The events of the session with this index. */
export function eventsOf(
  index: number,
  {
    isOpen = true,
    at = START_AT + index * 1000,
  }: { readonly isOpen?: boolean; readonly at?: number } = {},
): readonly SessionEvent[] {
  const commands: Command[] = [
    {
      type: "create",
      at,
      id: sessionId(index),
      repoId: REPOS[index % REPOS.length] ?? null,
      title: `Session number ${index}`,
      provider: "gemini",
      model: null,
      agentName: `agent-${index % 20}`,
      purpose: "approval_workflow",
      agentId: null,
      metadata: { task_id: `T${index}`, tags: ["terraform", "infrastructure"] },
      forkedFrom: null,
    },
    {
      type: "update",
      at: at + 100,
      changes: {},
      phase: PHASES[index % PHASES.length] ?? "planning",
    },
  ];
  if (index % 10 === 1) commands.push({ type: "archive", at: at + 200 });
  else if (!isOpen || index % 10 === 2)
    commands.push({ type: "suspend", at: at + 200, cause: "shutdown" });
  let session: Session | null = null;
  const events: SessionEvent[] = [];
  for (const command of commands) {
    const decision = decide(session, command);
    if (!decision.ok) throw new Error(decision.refusal.message);
    session = evolveAll(session, decision.events);
    events.push(...decision.events);
  }
  return events;
}

/** Adds complete messages of a typical size to a session. */
export async function fillMessages(
  store: Store,
  { id, count }: { id: string; count: number },
): Promise<void> {
  const loaded = await store.load(id);
  if (loaded.found !== "session") throw new Error(`no session ${id}`);
  const messages = Array.from({ length: count }, (_, index) => ({
    id: `${id}-message-${index}`,
    runId: null,
    role: index % 2 === 0 ? ("user" as const) : ("agent" as const),
    content: { type: "text", text: messageText(index) },
  }));
  const events: SessionEvent[] = [{ type: "output.appended", at: START_AT }];
  await store.commit({ before: loaded.stored, events, messages });
}

export function messageText(index: number): string {
  return `Message ${index}: ${"words that say something. ".repeat(12)}`;
}
