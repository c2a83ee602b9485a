import path from "node:path";
import type {
  Message,
  OpenSuspension,
  Run,
  WholeSession,
} from "../../packages/protocol/src/index.ts";
import type { Rig } from "./rig.ts";

const RUN_MS = 90_000;

/** Uses a session in the folder of its own repository. */
export interface SessionDriver extends Talk {
  fileNamed(name: string): string;
}

/** Uses a session as a person would. */
export interface Talk {
  readonly id: string;
  /** Sends a message and returns at once. */
  send(text: string, provider?: string): Promise<void>;
  /** Sends a message, waits until the session is idle, and returns it. */
  say(text: string, provider?: string): Promise<WholeSession>;
  /** Resolves to the session once the condition holds. */
  until(what: string, condition: (session: WholeSession) => boolean): Promise<WholeSession>;
  idle(): Promise<WholeSession>;
  /** Waits for a permission request. Throws if the run ends without one. */
  permission(): Promise<OpenSuspension>;
  /** Waits for a permission request. Resolves to null if the session becomes idle first. */
  permissionOrIdle(): Promise<OpenSuspension | null>;
  answer(suspension: OpenSuspension, kind: string): Promise<void>;
  cancel(): Promise<void>;
  /** All runs, oldest first, in their current state. */
  runs(): Promise<readonly Run[]>;
  remove(): Promise<void>;
}

export async function openSession(rig: Rig, provider: string): Promise<SessionDriver> {
  const folder = rig.newFolder();
  const repo = await rig.client.repos.add({ path: folder.name });
  const { id } = await rig.client.sessions.create({ repoId: repo.id, provider });
  return { ...talkIn(rig, id), fileNamed: (name) => path.join(folder.path, name) };
}

/** `runMs`: how long a run may take. */
export function talkIn(rig: Rig, id: string, { runMs = RUN_MS } = {}): Talk {
  const until: Talk["until"] = async (what, condition) => {
    const signal = AbortSignal.timeout(runMs);
    let last: WholeSession | null = null;
    for await (const { session } of rig.client.sessions.follow(id, { signal })) {
      if (condition(session)) return session;
      last = session;
    }
    throw new Error(`${what} did not happen: ${describe(last)}`);
  };
  const idle = async (): Promise<WholeSession> => {
    const session = await until(
      "the end of the run",
      ({ state, queued, suspension }) => (state === "idle" && queued === 0) || suspension !== null,
    );
    if (session.suspension === null) return session;
    throw new Error(`the agent asks: ${JSON.stringify(session.suspension.request).slice(0, 400)}`);
  };
  const send: Talk["send"] = async (text, by) => {
    await rig.client.sessions.send(id, { text, ...(by !== undefined && { provider: by }) });
  };
  const permissionOrIdle = async (): Promise<OpenSuspension | null> => {
    const { suspensions } = await until(
      "a question or the end of the run",
      ({ state, queued, suspension }) =>
        suspension?.kind === "permission" || (state === "idle" && queued === 0),
    );
    return suspensions.find(({ kind }) => kind === "permission") ?? null;
  };
  return {
    id,
    send,
    say: async (text, by) => {
      await send(text, by);
      return idle();
    },
    until,
    idle,
    permissionOrIdle,
    permission: async () => {
      const permission = await permissionOrIdle();
      if (permission !== null) return permission;
      throw new Error(
        `no permission was requested: ${describe(await rig.client.sessions.get(id))}`,
      );
    },
    answer: async (suspension, kind) => {
      const { options } = suspension.request;
      const answer = optionOf(options, kind);
      await rig.client.sessions.answer(id, { suspensionId: suspension.id, answer });
    },
    cancel: async () => {
      await rig.client.sessions.cancel(id);
    },
    runs: () => readRuns(rig, id),
    remove: async () => {
      await rig.client.sessions.delete(id);
    },
  };
}

/** The agent's texts, without notices of the server. */
export function textsOf({ messages }: WholeSession): readonly string[] {
  return messages.filter(({ role }) => role === "agent").flatMap(textIn);
}

export function userTextsOf({ messages }: WholeSession): readonly string[] {
  return messages.filter(({ role }) => role === "user").flatMap(textIn);
}

function textIn({ content }: Message): readonly string[] {
  const { type, text } = content as { readonly type: string; readonly text?: unknown };
  return type === "text" && typeof text === "string" ? [text] : [];
}

function optionOf(options: unknown, kind: string): string {
  const list: readonly unknown[] = Array.isArray(options) ? options : [];
  for (const option of list) {
    if (typeof option !== "object" || option === null) continue;
    const { optionId, kind: is } = option as { optionId?: unknown; kind?: unknown };
    if (is === kind && typeof optionId === "string") return optionId;
  }
  throw new Error(`no option of kind ${kind} in ${JSON.stringify(options)}`);
}

async function readRuns(rig: Rig, id: string): Promise<readonly Run[]> {
  const { lastEventId } = await rig.client.sessions.get(id);
  const runs = new Map<string, Run>();
  const signal = AbortSignal.timeout(RUN_MS);
  for await (const event of rig.client.sessions.events(id, { signal })) {
    if (event.type === "run") runs.set(event.data.id, event.data);
    if (event.id !== null && Number(event.id) >= Number(lastEventId)) break;
  }
  return [...runs.values()];
}

/** The last messages of a session, shortened for a report. */
function describe(session: WholeSession | null): string {
  if (session === null) return "no event of the session arrived";
  const { state, lastError, messages } = session;
  const end = messages.slice(-4).map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);
  return [`state ${state}`, ...(lastError === null ? [] : [lastError]), ...end]
    .map((line) => line.slice(0, 400))
    .join("\n    ");
}

/** How often the texts contain these words. */
export function countOf(texts: readonly string[], words: string): number {
  return texts.join("\n").split(words).length - 1;
}
