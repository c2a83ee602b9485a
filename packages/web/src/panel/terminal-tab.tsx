import type { Message } from "@holdfast/protocol";
import { useState, useSyncExternalStore, type ReactElement } from "react";
import { TerminalOutput } from "../tools/output/terminal-output.tsx";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { Button } from "../ui/button.tsx";
import { commandsOf, type Command } from "./commands.ts";
import { Nothing } from "./nothing.tsx";

const SHOWN = 20;

/** The commands of the session with their output, the last one first. */
export function TerminalTab({
  tools,
  transcript,
  onMessage,
}: {
  /** The latest tool calls. */
  readonly tools: ReadonlyMap<string, Message>;
  readonly transcript: TranscriptStore;
  readonly onMessage: (messageId: string) => void;
}): ReactElement {
  useSyncExternalStore(transcript.subscribe, transcript.getSnapshot);
  const [limit, setLimit] = useState(SHOWN);
  const commands = commandsOf(toolsIn(transcript, tools));
  if (commands.length === 0) return <Nothing>No commands yet.</Nothing>;
  const more = commands.length - limit;
  return (
    <>
      <ol aria-label="Commands, the last one first" className="flex flex-col gap-4">
        {commands.slice(0, limit).map((command) => (
          <CommandView key={command.messageId} command={command} onMessage={onMessage} />
        ))}
      </ol>
      {more > 0 && (
        <Button size="small" className="mt-4" onClick={() => setLimit(limit + SHOWN)}>
          Show earlier commands ({more})
        </Button>
      )}
    </>
  );
}

/** All known tool calls. Those that the view keeps are newer than the ones of the transcript. */
function toolsIn(
  transcript: TranscriptStore,
  tools: ReadonlyMap<string, Message>,
): readonly Message[] {
  const byId = new Map<string, Message>();
  transcript.search((messageId) => {
    const message = transcript.message(messageId);
    if (message?.content.type === "tool") byId.set(messageId, message);
  });
  for (const message of tools.values()) byId.set(message.id, message);
  return [...byId.values()];
}

const MARKS = {
  pending: "text-muted",
  in_progress: "text-accent",
  completed: "text-ok",
  failed: "text-danger",
  cancelled: "text-muted",
  unfinished: "text-warn",
} as const satisfies Record<Command["status"], string>;

const WORDS = {
  pending: "Not started",
  in_progress: "Running",
  completed: "Done",
  failed: "Failed",
  cancelled: "Stopped",
  unfinished: "Unfinished",
} as const satisfies Record<Command["status"], string>;

function CommandView({
  command: { messageId, line, status, outputs },
  onMessage,
}: {
  readonly command: Command;
  readonly onMessage: (messageId: string) => void;
}): ReactElement {
  return (
    <li className="flex flex-col gap-1">
      <div className="flex items-baseline gap-2 font-mono text-xs">
        <span aria-hidden="true" className={MARKS[status]}>
          $
        </span>
        <button
          type="button"
          title="Show it in the transcript"
          onClick={() => onMessage(messageId)}
          className="touch-target min-w-0 flex-1 rounded text-left font-medium whitespace-pre-wrap wrap-anywhere hover:bg-hover"
        >
          {line}
        </button>
        <span className={`shrink-0 font-sans ${MARKS[status]}`}>{WORDS[status]}</span>
      </div>
      {outputs.map((output, index) => (
        <TerminalOutput key={index} {...output} />
      ))}
    </li>
  );
}
