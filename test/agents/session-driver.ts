import path from "node:path";
import type {
  Message,
  OpenSuspension,
  Run,
  WholeSession,
} from "../../packages/protocol/src/index.ts";
import type { Rig } from "./rig.ts";

const RUN_MS = 90_000;

/** A session of a rig, driven as a person would drive it. */
export interface SessionDriver {
  readonly id: string;
  fileNamed(name: string): string;
  /** Sends and returns at once. */
  send(text: string, provider?: string): Promise<void>;
  /** Sends, waits until all is over, and returns the session then. */
  say(text: string, provider?: string): Promise<WholeSession>;
  /** The session as soon as it is so. */
  until(what: string, isSo: (session: WholeSession) => boolean): Promise<WholeSession>;
  idle(): Promise<WholeSession>;
  /** The permission that is asked for; throws when the run ends without. */
  asked(): Promise<OpenSuspension>;
  /** The permission that is asked for next, or null when the session comes to rest first. */
  askedOrIdle(): Promise<OpenSuspension | null>;
  answer(suspension: OpenSuspension, kind: string): Promise<void>;
  cancel(): Promise<void>;
  /** All runs so far, oldest first, each as it is now. */
  runs(): Promise<readonly Run[]>;
  remove(): Promise<void>;
}

export async function openSession(rig: Rig, provider: string): Promise<SessionDriver> {
  const folder = rig.newFolder();
  const repo = await rig.client.repos.add({ path: folder.name });
  const { id } = await rig.client.sessions.create({ repoId: repo.id, provider });

  const until: SessionDriver["until"] = async (what, isSo) => {
    const signal = AbortSignal.timeout(RUN_MS);
    let last: WholeSession | null = null;
    for await (const { session } of rig.client.sessions.follow(id, { signal })) {
      if (isSo(session)) return session;
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
    throw new Error(`it asks: ${JSON.stringify(session.suspension.request).slice(0, 400)}`);
  };
  const send: SessionDriver["send"] = async (text, by) => {
    await rig.client.sessions.send(id, { text, ...(by !== undefined && { provider: by }) });
  };
  const askedOrIdle = async (): Promise<OpenSuspension | null> => {
    const { suspensions } = await until(
      "a question or the end of the run",
      ({ state, suspension }) => suspension?.kind === "permission" || state === "idle",
    );
    return suspensions.find(({ kind }) => kind === "permission") ?? null;
  };
  return {
    id,
    fileNamed: (name) => path.join(folder.path, name),
    send,
    say: async (text, by) => {
      await send(text, by);
      return idle();
    },
    until,
    idle,
    askedOrIdle,
    asked: async () => {
      const asked = await askedOrIdle();
      if (asked !== null) return asked;
      throw new Error(`nothing was asked: ${describe(await rig.client.sessions.get(id))}`);
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

/** What the agent says in words, without notices of the server. */
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
  throw new Error(`there is no ${kind} among ${JSON.stringify(options)}`);
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

/** The end of a session, short enough to be read in a report. */
function describe(session: WholeSession | null): string {
  if (session === null) return "nothing was heard of the session";
  const { state, lastError, messages } = session;
  const end = messages.slice(-4).map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);
  return [`state ${state}`, ...(lastError === null ? [] : [lastError]), ...end]
    .map((line) => line.slice(0, 400))
    .join("\n    ");
}

/** How often these words are in the texts. */
export function countOf(texts: readonly string[], words: string): number {
  return texts.join("\n").split(words).length - 1;
}
