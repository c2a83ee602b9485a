import type { StreamEvent } from "@holdfast/client";
import type { Run, WholeSession } from "@holdfast/protocol";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { createPaint } from "../terminal/paint.ts";
import { persist, type Persistence } from "../terminal/persist.ts";
import { createQuestions, type QuestionsOptions } from "./questions.ts";
import { usageLine } from "./message-lines.ts";
import { createTranscriptView } from "./transcript-view.ts";

export interface WatchView {
  take(event: StreamEvent): void;
  end(): void;
}

export interface WatchViewOptions extends Pick<
  QuestionsOptions,
  "client" | "terminal" | "screen" | "stops" | "onFailure"
> {
  readonly session: WholeSession;
  readonly persistence: Persistence;
}

/** Shows everything in a session for people: messages, tool calls and questions. */
export function createWatchView(options: WatchViewOptions): WatchView {
  const { client, session, terminal, screen, stops, persistence, onFailure } = options;
  const { stdout } = terminal;
  const paint = createPaint(stdout);
  const view = createTranscriptView({
    screen,
    paint: { answer: paint, beside: paint },
    columns: stdout.columns,
    isShown: () => true,
  });
  const questions = createQuestions({
    client,
    sessionId: session.id,
    terminal,
    screen,
    stops,
    toolOf: view.toolOf,
    later: persistence.later,
    persist: (work) => persist(work, persistence),
    onUnanswered: () => {},
    onFailure,
  });
  let lastRunId: string | null = null;
  const title = session.title === null ? "" : ` “${neutraliseLine(session.title)}”`;
  screen.notice(createPaint(terminal.stderr).dim(`Watching${title}. Press Ctrl-C to stop.`));
  for (const open of session.suspensions) questions.take({ ...open, status: "open" });

  const showUsage = (run: Run): void => {
    if (run.status !== "completed" || run.id === lastRunId) return;
    lastRunId = run.id;
    const used = usageLine(run);
    if (used !== "") screen.line(paint.dim(`— ${used}`));
  };

  return {
    take(event) {
      view.take(event);
      if (event.type === "suspension") questions.take(event.data);
      if (event.type === "run") showUsage(event.data);
    },
    end() {
      questions.close();
      view.end();
    },
  };
}
