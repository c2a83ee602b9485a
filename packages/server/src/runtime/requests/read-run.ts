import { authorOf, isOfSubagent, type Message } from "../../domain/message.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";
import type { Run, Store } from "../../storage/store.ts";
import { withSession } from "../session-snapshot.ts";
import { SUSPENSIONS_SHOWN, type PastRun } from "./session-reads.ts";

export interface ReadRun {
  readonly sessionId: string;
  readonly runId: string;
}

export interface WholeRun extends PastRun {
  /** What the agent said since its last tool call, or before it if it said nothing since. */
  readonly answer: string;
  /** Whether the answer is longer than this. */
  readonly answerCut: boolean;
  /** The last tool call; null if there is none. */
  readonly step: string | null;
}

/** Null if it is the run of another session. */
export async function findRun(
  store: Pick<Store, "readRun">,
  { sessionId, runId }: ReadRun,
): Promise<Run | null> {
  const run = await store.readRun(runId);
  return run?.sessionId === sessionId ? run : null;
}

export function noSuchRun(): Refused {
  return refuse("run_not_found", "The session has no such run.");
}

/** In UTF-16 code units. */
export const MAX_ANSWER = 64 * 1024;

export function readWholeRun(
  store: Store,
  { sessionId, runId }: ReadRun,
): Promise<Reply<{ readonly run: WholeRun }>> {
  return withSession(store, sessionId, async (session) => {
    const run = await findRun(store, { sessionId: session.id, runId });
    if (run === null) return noSuchRun();
    const suspensions = await store.readRunSuspensions({
      sessionId: session.id,
      runIds: [runId],
      perRun: SUSPENSIONS_SHOWN,
    });
    return { run: { ...run, suspensions, ...(await readAnswer(store, run)) } };
  });
}

const PAGE = 50;
/** Of a run that only calls tools. */
const MAX_PAGES = 20;

/** Reads from the end, and only as far as it needs. */
async function readAnswer(
  store: Pick<Store, "readNewestOfRun">,
  { sessionId, id: runId }: Pick<PastRun, "sessionId" | "id">,
): Promise<Pick<WholeRun, "answer" | "answerCut" | "step">> {
  const texts: string[] = [];
  let step: string | null = null;
  for await (const message of fromTheEnd(store, { sessionId, runId })) {
    if (authorOf(message) !== "agent" || isOfSubagent(message.content)) continue;
    step ??= stepOf(message);
    const isBefore = message.content.type === "tool" && texts.length > 0;
    if (isBefore || texts.join("").length > MAX_ANSWER) break;
    const text = saidIn(message);
    if (text !== null) texts.unshift(text);
  }
  const answer = texts.join("\n\n");
  return { answer: answer.slice(-MAX_ANSWER), answerCut: answer.length > MAX_ANSWER, step };
}

async function* fromTheEnd(
  store: Pick<Store, "readNewestOfRun">,
  of: { readonly sessionId: string; readonly runId: string },
): AsyncGenerator<Message, void, undefined> {
  let before: number | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const query = { ...of, limit: PAGE, ...(before !== undefined && { before }) };
    const page: readonly Message[] = await store.readNewestOfRun(query);
    yield* page.toReversed();
    before = page[0]?.seq;
    if (page.length < PAGE) return;
  }
}

function saidIn({ content }: Message): string | null {
  const { type, text } = content;
  return type === "text" && typeof text === "string" && text !== "" ? text : null;
}

function stepOf({ content }: Message): string | null {
  if (content.type !== "tool") return null;
  const { title, tool } = content;
  return typeof title === "string" ? title : typeof tool === "string" ? tool : null;
}
