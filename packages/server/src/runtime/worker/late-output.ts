import { defined } from "../../domain/defined.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { AgentReport, ReportPlace } from "../../providers/provider.ts";
import type { RuntimeContext } from "../context.ts";
import type { RunWork } from "../run/run-work.ts";

/** Text that follows sooner is part of the same message. */
const QUIET_MS = 200;
/** What an agent may say after the end of a run. The rest is only in the journal. */
const MAX_CHARACTERS = 64 * 1024;
const MAX_REPORTS = 4_000;

type Work = Pick<RunWork, "done" | "ending" | "runId" | "provider"> & {
  readonly attempt: Pick<RunWork["attempt"], "isPrompted">;
};
type Context = Pick<RuntimeContext, "clock" | "newId" | "execute" | "log">;
type TextReport = Extract<AgentReport, { report: "text" }>;

/** The last run in which the live agent had a prompt. */
interface LastRun {
  readonly work: Work;
  readonly live: object;
  /** What it said since, and is not stored yet. */
  contents: MessageContent[];
  /** The text that is the last of the contents, and may go on. */
  text: TextReport | null;
  characters: number;
  reports: number;
}

/**
 * What an agent says between the end of a run and its next prompt. It belongs to the run that has ended, and is stored as
 * further messages of it. Late tool calls and plans are left out: the end of the run has closed them.
 */
export class LateOutput {
  readonly #context: Context;
  readonly #sessionId: string;
  #last: LastRun | null = null;
  #timer: NodeJS.Timeout | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(context: Context, sessionId: string) {
    this.#context = context;
    this.#sessionId = sessionId;
  }

  /** Takes the report if it is late. `work`: on the current run, whose prompt the agent may not have yet. */
  take(
    report: AgentReport,
    place: ReportPlace | undefined,
    { work, live }: { readonly work: Work | null; readonly live: object | null },
  ): boolean {
    if (work !== null && work.attempt.isPrompted && work.ending === "open") {
      if (this.#last?.work !== work) this.#follow(work, live);
      return false;
    }
    const last = this.#last;
    if (last === null || last.live !== live || last.work.ending === "open") return false;
    // An earlier server has stored it, or has seen that it cannot be.
    if (place?.isStored === true) return false;
    return this.#keep(last, report);
  }

  /** Resolves when everything is stored that was taken. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const last = this.#last;
    if (last === null || last.contents.length === 0) return this.#storing;
    const { work, contents } = last;
    last.contents = [];
    last.text = null;
    this.#storing = this.#storing
      .then(() => this.#store(work, contents))
      .catch((err: unknown) => {
        const fields = { sessionId: this.#sessionId, runId: work.runId, err };
        this.#context.log.error(fields, "what an agent said after its run could not be stored");
      });
    return this.#storing;
  }

  #follow(work: Work, live: object | null): void {
    void this.flush();
    this.#last =
      live === null ? null : { work, live, contents: [], text: null, characters: 0, reports: 0 };
  }

  #keep(last: LastRun, report: AgentReport): boolean {
    switch (report.report) {
      case "text":
        addText(last, report);
        break;
      case "message":
        addMessage(last, report.content);
        break;
      case "title":
        void this.#suggestTitle(last, report.title);
        return true;
      default:
        return false;
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), QUIET_MS);
    return true;
  }

  async #store(work: Work, contents: readonly MessageContent[]): Promise<void> {
    await work.done;
    // The run was cancelled, or goes on elsewhere: what its agent says does not belong to it any more.
    if (work.ending !== "ended") return;
    const { clock, newId, execute } = this.#context;
    const messages = contents.map(
      (content) => ({ id: newId(), runId: work.runId, role: "agent", content }) as const,
    );
    await execute({
      sessionId: this.#sessionId,
      // The event of an agent that was active.
      command: (session) => {
        if (session === null) return [];
        const at = Math.max(clock(), session.lastActiveAt + 1);
        return { type: "update", at, changes: { metadata: {} } };
      },
      extras: { messages },
    });
  }

  async #suggestTitle({ work }: LastRun, title: string): Promise<void> {
    await work.done;
    if (work.ending !== "ended") return;
    const { clock, execute, log } = this.#context;
    const sessionId = this.#sessionId;
    const suggestion = { provider: work.provider, title: title.slice(0, 200) };
    await execute({
      sessionId,
      command: (session) =>
        session === null ? [] : { type: "suggest-title", at: clock(), ...suggestion },
    }).catch((err: unknown) => log.error({ sessionId, err }, "a late title could not be stored"));
  }
}

function addText(last: LastRun, report: TextReport): void {
  if (!hasRoomFor(last, report.text.length)) return;
  const { voice, part, parent, text } = report;
  const open = last.text;
  const goesOn = open?.voice === voice && open.part === part && open.parent === parent;
  const before = goesOn ? last.contents.pop()?.["text"] : undefined;
  const whole = `${typeof before === "string" ? before : ""}${text}`;
  last.contents.push({
    type: voice === "thought" ? voice : "text",
    text: whole,
    ...defined({ parent }),
  });
  last.text = report;
}

function addMessage(last: LastRun, content: MessageContent): void {
  if (!hasRoomFor(last, JSON.stringify(content).length)) return;
  last.contents.push(content);
  last.text = null;
}

function hasRoomFor(last: LastRun, characters: number): boolean {
  last.characters += characters;
  last.reports += 1;
  return last.characters <= MAX_CHARACTERS && last.reports <= MAX_REPORTS;
}
