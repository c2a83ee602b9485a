import type { QueuedMessage, Session } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import { AtSign, CornerDownLeft, GitFork } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { optionsQuery, providersQuery } from "../api/queries.ts";
import { announce } from "../app/announce.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { loaded } from "../ui/loaded.tsx";
import { useAddedText } from "../comments/added-text.ts";
import { type Agent, agentChoiceOf } from "./agent-choice.ts";
import {
  hasSettings,
  labelOf,
  nextMode,
  NO_SETTINGS,
  optionChoicesOf,
  settingsNote,
} from "./message-settings.ts";
import { actionOfKey } from "./composer-keys.ts";
import { type ComposerState, composerStateOf } from "./composer-state.ts";
import { withMention } from "./mention.ts";
import type { Outgoing } from "./outbox.ts";
import { drafts, outbox, useOutgoing } from "./page-outbox.ts";
import { type BoxText, withCommand } from "./slash.ts";
import { useMention, useSlash } from "./use-completion.ts";
import { useMode } from "./use-mode.ts";
// Not lazy: it is needed when the network is down.
import { OutgoingList } from "./outgoing-list.tsx";
import type { Draft } from "./drafts.ts";

/** They wait for what the server knows about its agents, so their code can wait, too. */
const AgentPicker = loaded(() => import("./agent-picker.tsx").then((m) => m.AgentPicker));
const SettingsPicker = loaded(() => import("./settings-picker.tsx").then((m) => m.SettingsPicker));
const QueueList = loaded(() => import("./queue-list.tsx").then((m) => m.QueueList));
const MentionList = loaded(() => import("./completion-list.tsx").then((m) => m.MentionList));
const SlashList = loaded(() => import("./completion-list.tsx").then((m) => m.SlashList));

export interface ComposerProps {
  readonly session: Session;
  readonly queue: readonly QueuedMessage[];
  /** The agent of the last run; null when unknown. */
  readonly last: Agent | null;
  /** The text of the last message a person sent. */
  readonly lastText: () => string | null;
  readonly onQueue: (queue: readonly QueuedMessage[]) => void;
  readonly onFork: () => void;
  readonly onAccept: () => void;
}

/** The message box, the queue and the unsent messages. */
export function Composer(props: ComposerProps): ReactElement {
  const { session, queue, onQueue, onFork, onAccept } = props;
  const state = composerStateOf(session);
  const [draft, change] = useDraft(session.id);
  const outgoing = useOutgoing(session.id);
  return (
    <section aria-label="Message" className="flex flex-col gap-2">
      {queue.length > 0 && <QueueList session={session} queue={queue} onQueue={onQueue} />}
      {outgoing.length > 0 && (
        <OutgoingList
          sessionId={session.id}
          outgoing={outgoing}
          onEdit={(text) => change({ text: draft.text === "" ? text : `${draft.text}\n${text}` })}
        />
      )}
      {state.open ? (
        <MessageBox {...props} draft={draft} change={change} state={state} />
      ) : (
        <ClosedComposer state={state} onFork={onFork} onAccept={onAccept} />
      )}
    </section>
  );
}

function MessageBox({
  session,
  last,
  lastText,
  state,
  draft,
  change,
}: ComposerProps & {
  readonly state: Extract<ComposerState, { open: true }>;
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
}): ReactElement {
  const { text } = draft;
  const box = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(text.length);
  const { data: providers = null } = useQuery(providersQuery);
  const choice = agentChoiceOf({ session, chosen: draft, last, providers });
  const { data: reply = null } = useQuery(optionsQuery(session));
  const offered = choice && optionChoicesOf({ session, choice, chosen: draft, reply });
  const isOwnMode = offered?.isSession === true && draft.mode === null;
  const shownMode = useMode(session, offered?.mode ?? null);
  const choices = offered && { ...offered, mode: isOwnMode ? shownMode.option : offered.mode };
  useAutoGrow(box, text);

  const put = (next: BoxText): void => {
    // Synchronous: the next key press must find the caret in its new position.
    flushSync(() => {
      change({ text: next.text });
      setCaret(next.caret);
    });
    box.current?.focus();
    box.current?.setSelectionRange(next.caret, next.caret);
  };
  useAddedText(session.id, (whole) => put({ text: whole, caret: whole.length }));
  const slash = useSlash({ text, caret }, choice?.about?.commands ?? [], (command) =>
    put(withCommand(text, command)),
  );
  const mentions = useMention({ text, caret }, session.repoId, (chosen) =>
    put(withMention(text, chosen)),
  );
  const lists = [slash, mentions];

  const send = (delivery: Outgoing["delivery"]): void => {
    if (text.trim() === "") return;
    const { provider, model, options } = draft;
    // A mode that was chosen just now must hold for this message, too.
    const mode = isOwnMode && delivery !== "steer" ? shownMode.unstored : draft.mode;
    void outbox.send(session.id, { text, provider, model, mode, options, delivery });
    change({ text: "", ...NO_SETTINGS });
    setCaret(0);
    box.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (lists.some((list) => list.onKey(event))) return;
    switch (actionOfKey(event.nativeEvent, { text })) {
      case "send":
        send("queue");
        break;
      case "interrupt":
        send(state.interrupt === null ? "queue" : "interrupt");
        break;
      case "recall": {
        const before = lastText();
        if (before === null) return;
        put({ text: before, caret: before.length });
        break;
      }
      case "leave":
        box.current?.blur();
        break;
      case "next-mode": {
        const mode = choices?.mode ?? null;
        const next = mode === null ? null : nextMode(mode);
        if (choices === null || next === null) return;
        if (choices.isSession) shownMode.change(next);
        change({ mode: choices.isSession ? null : next });
        announce(`Mode: ${labelOf(mode, next)}`);
        break;
      }
      case "type":
        return;
    }
    event.preventDefault();
  };
  const mention = (): void => {
    const gap = caret > 0 && !/\s/u.test(text.charAt(caret - 1)) ? " @" : "@";
    put({ text: text.slice(0, caret) + gap + text.slice(caret), caret: caret + gap.length });
  };
  const isEmpty = text.trim() === "";
  const open = lists.find(({ items }) => items.length > 0);

  return (
    <div className="relative flex flex-col gap-1.5 rounded-lg border border-line-strong/60 bg-surface p-2 focus-within:border-accent focus-within:ring-1 focus-within:ring-accent">
      {slash.items.length > 0 && <SlashList slash={slash} />}
      {mentions.items.length > 0 && <MentionList mentions={mentions} />}
      <textarea
        ref={box}
        rows={1}
        aria-label="Message to the agent"
        aria-describedby="composer-note"
        placeholder="Message the agent. / for commands, @ for a file"
        enterKeyHint="send"
        aria-autocomplete="list"
        aria-controls={open?.listId}
        aria-activedescendant={open === undefined ? undefined : `${open.listId}-${open.at}`}
        value={text}
        onChange={(event) => {
          change({ text: event.target.value });
          setCaret(event.target.selectionEnd);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionEnd)}
        onKeyDown={onKeyDown}
        onBlur={() => lists.forEach((list) => list.close())}
        className="field-sizing-content max-h-[40dvh] min-h-9 w-full resize-none bg-transparent px-1 py-1.5 outline-none placeholder:text-muted pointer-coarse:min-h-11"
      />
      <div className="flex flex-wrap items-center gap-x-1 gap-y-1.5">
        {choice !== null && providers !== null && (
          <AgentPicker
            choice={choice}
            providers={providers.providers}
            onChange={(agent) => change({ ...agent, ...NO_SETTINGS })}
          />
        )}
        {choices !== null && (
          <SettingsPicker
            session={session}
            choices={choices}
            chosen={draft}
            onChange={change}
            onSessionMode={shownMode.change}
          />
        )}
        <IconButton label="Mention a file" size="small" className="text-muted" onClick={mention}>
          <AtSign size={14} aria-hidden="true" />
        </IconButton>
        <p
          id="composer-note"
          className="order-first min-w-0 basis-full px-1 text-xs text-muted empty:hidden sm:order-none sm:flex-1 sm:basis-40"
        >
          {[choice?.note, choices && settingsNote(choices, draft), state.note]
            .filter((note) => typeof note === "string")
            .join(". ")}
        </p>
        <div className="ml-auto flex flex-wrap gap-1.5">
          {state.canSteer && isForAgentAtWork(draft, last) && (
            <Button
              size="small"
              disabled={isEmpty}
              title="The agent gets the message during its work"
              onClick={() => send("steer")}
            >
              Send now
            </Button>
          )}
          {state.interrupt !== null && (
            <Button
              size="small"
              disabled={isEmpty}
              title="Ctrl or Command and Enter"
              onClick={() => send("interrupt")}
            >
              {state.interrupt}
            </Button>
          )}
          <Button
            tone="primary"
            size="small"
            disabled={isEmpty}
            title="Enter"
            icon={<CornerDownLeft size={13} aria-hidden="true" />}
            onClick={() => send("queue")}
          >
            {state.send}
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Whether the message could go to the agent that works now: it chooses no other agent, and no settings of its own. */
function isForAgentAtWork(draft: Draft, last: Agent | null): boolean {
  const { provider, model } = draft;
  const isSame = provider === null || provider === last?.provider;
  return isSame && (model === null || model === last?.model) && !hasSettings(draft);
}

/** Replaces the message box of a session that accepts no messages. */
function ClosedComposer({
  state: { reason, way },
  onFork,
  onAccept,
}: {
  readonly state: Extract<ComposerState, { open: false }>;
  readonly onFork: () => void;
  readonly onAccept: () => void;
}): ReactElement {
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-sunken px-3 py-2.5">
      <p className="min-w-0 flex-1 basis-52 text-muted wrap-anywhere">{reason}</p>
      {way === "fork" && (
        <Button size="small" icon={<GitFork size={13} aria-hidden="true" />} onClick={onFork}>
          Fork to continue
        </Button>
      )}
      {way === "accept" && (
        <Button size="small" onClick={onAccept}>
          Accept messages again
        </Button>
      )}
    </div>
  );
}

/** Grows the box with its text where CSS cannot. */
function useAutoGrow(box: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || CSS.supports("field-sizing", "content")) return;
    element.style.setProperty("height", "auto");
    element.style.setProperty("height", `${element.scrollHeight + 2}px`);
  }, [box, text]);
}

/** The draft of a session, stored with every change. */
function useDraft(sessionId: string): readonly [Draft, (changes: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(() => drafts.read(sessionId));
  const change = useCallback(
    (changes: Partial<Draft>) => {
      setDraft((before) => {
        const next = { ...before, ...changes };
        drafts.write(sessionId, next);
        return next;
      });
    },
    [sessionId],
  );
  return [draft, change];
}
