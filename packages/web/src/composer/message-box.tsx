import type { Session } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import { AtSign, Paperclip, Plus } from "lucide-react";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { optionsQuery, providersQuery } from "../api/queries.ts";
import { announce } from "../app/announce.tsx";
import { IconButton } from "../ui/button.tsx";
import { useAddedText } from "../comments/added-text.ts";
import { classNames } from "../ui/class-names.ts";
import { loaded } from "../ui/loaded.tsx";
import { type Agent, agentChoiceOf } from "./agent-choice.ts";
import type { AgentSettingsProps } from "./agent/agent-settings.tsx";
import { takesImages } from "./attachments/attachment.ts";
import { useAttach } from "./attachments/use-attach.ts";
import { useDrop } from "./attachments/use-drop.ts";
import { actionOfKey } from "./composer-keys.ts";
import type { ComposerState } from "./composer-state.ts";
import type { Draft } from "./drafts.ts";
import { withMention } from "./mention.ts";
import {
  hasSettings,
  labelOf,
  nextMode,
  NO_SETTINGS,
  optionChoicesOf,
  settingsNote,
} from "./message-settings.ts";
import type { Outgoing } from "./outbox.ts";
import { outbox } from "./page-outbox.ts";
import { SendButtons } from "./send-buttons.tsx";
import { type BoxText, withCommand } from "./slash.ts";
import { useMention, useSlash } from "./use-completion.ts";
import type { ChangeDraft } from "./use-draft.ts";
import { useMode } from "./use-mode.ts";
import { useFocusOnOpen, useGiveWay, useTyping } from "./use-typing.ts";

/** They wait for what the server knows about its agents, so their code can wait, too. */
const AgentPill = loaded(() => import("./agent/agent-pill.tsx").then((m) => m.AgentPill));
const MoreDialog = loaded(() => import("./agent/more-dialog.tsx").then((m) => m.MoreDialog));
const MentionList = loaded(() => import("./completion-list.tsx").then((m) => m.MentionList));
const SlashList = loaded(() => import("./completion-list.tsx").then((m) => m.SlashList));
const AttachmentChips = loaded(() =>
  import("./attachments/attachment-chips.tsx").then((m) => m.AttachmentChips),
);

export interface MessageBoxProps {
  readonly session: Session;
  /** The agent of the last run; null when unknown. */
  readonly last: Agent | null;
  /** The text of the last message a person sent. */
  readonly lastText: () => string | null;
  readonly state: Extract<ComposerState, { open: true }>;
  readonly draft: Draft;
  readonly change: ChangeDraft;
  readonly onStop: () => void;
  readonly isStopping: boolean;
}

export function MessageBox(props: MessageBoxProps): ReactElement {
  const { session, last, lastText, state, draft, change } = props;
  const { text, attachments } = draft;
  const box = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState(text.length);
  const [hasMore, setMore] = useState(false);
  const { data: providers = null } = useQuery(providersQuery);
  const choice = agentChoiceOf({ session, chosen: draft, last, providers });
  const { data: reply = null } = useQuery(optionsQuery(session));
  const offered = choice && optionChoicesOf({ session, choice, chosen: draft, reply });
  const isOwnMode = offered?.isSession === true && draft.mode === null;
  const shownMode = useMode(session, offered?.mode ?? null);
  const choices = offered && { ...offered, mode: isOwnMode ? shownMode.option : offered.mode };
  const hasRequest = session.suspensions.length > 0;
  const attaching = useAttach((next) =>
    change((before) => ({ attachments: next(before.attachments) })),
  );
  const isDropping = useDrop(attaching.attach);
  useAutoGrow(box, text);
  useTyping(box, { hasRequest });
  useFocusOnOpen(box, { hasRequest });
  useGiveWay(box, { hasRequest });

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
  const isEmpty = text.trim() === "" && attachments.length === 0;

  const send = (delivery: Outgoing["delivery"]): void => {
    if (isEmpty) return;
    const { provider, model, options } = draft;
    // A mode that was chosen just now must hold for this message, too.
    const mode = isOwnMode && delivery !== "steer" ? shownMode.unstored : draft.mode;
    void outbox.send(session.id, { text, attachments, provider, model, mode, options, delivery });
    change({ text: "", attachments: [], ...NO_SETTINGS });
    attaching.clearProblem();
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
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    attaching.attach(files);
  };
  const mention = (): void => {
    const gap = caret > 0 && !/\s/u.test(text.charAt(caret - 1)) ? " @" : "@";
    put({ text: text.slice(0, caret) + gap + text.slice(caret), caret: caret + gap.length });
  };
  const open = lists.find(({ items }) => items.length > 0);
  const settings: AgentSettingsProps | null =
    choice === null || providers === null
      ? null
      : {
          session,
          choice,
          providers: providers.providers,
          choices,
          chosen: { mode: draft.mode, options: draft.options },
          onAgent: (agent) => change({ ...agent, ...NO_SETTINGS }),
          onSettings: change,
          onSessionMode: shownMode.change,
        };
  const hasImage = attachments.some(({ kind }) => kind === "image");
  const about = choice?.about ?? null;
  const warning =
    attaching.problem ??
    (hasImage && takesImages(about) === false
      ? `${about?.title ?? "This agent"} does not take images. It is told only that there was one.`
      : null);

  return (
    <div
      data-composer=""
      className={classNames(
        "relative flex flex-col gap-1.5 rounded-lg border bg-surface p-1.5 focus-within:border-accent focus-within:ring-1 focus-within:ring-accent sm:p-2",
        isDropping ? "border-accent bg-accent-soft" : "border-line-strong/60",
      )}
    >
      {slash.items.length > 0 && <SlashList slash={slash} />}
      {mentions.items.length > 0 && <MentionList mentions={mentions} />}
      {attachments.length > 0 && (
        <AttachmentChips
          attachments={attachments}
          onRemove={(id) => {
            change((before) => ({ attachments: before.attachments.filter((a) => a.id !== id) }));
            box.current?.focus();
          }}
        />
      )}
      {warning !== null && (
        <p role="alert" className="px-1 text-xs text-warn wrap-anywhere">
          {warning}
        </p>
      )}
      <div className="flex flex-wrap items-end gap-x-1 gap-y-1.5 sm:items-center">
        <IconButton
          label="Options of the message"
          className="shrink-0 text-muted sm:hidden"
          onClick={() => setMore(true)}
        >
          <Plus size={18} aria-hidden="true" />
        </IconButton>
        <textarea
          ref={box}
          rows={1}
          aria-label="Message to the agent"
          aria-describedby="composer-note"
          placeholder={isDropping ? "Drop to attach" : hintText()}
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
          onPaste={onPaste}
          onBlur={() => lists.forEach((list) => list.close())}
          className="field-sizing-content max-h-[40dvh] min-h-9 min-w-0 flex-1 resize-none bg-transparent px-1 py-2 outline-none placeholder:text-muted sm:basis-full pointer-coarse:min-h-11"
        />
        <div className="hidden min-w-0 items-center gap-1 sm:flex">
          <IconButton
            label="Attach an image or a file"
            size="small"
            className="text-muted"
            onClick={() => picker.current?.click()}
          >
            <Paperclip size={14} aria-hidden="true" />
          </IconButton>
          <IconButton label="Mention a file" size="small" className="text-muted" onClick={mention}>
            <AtSign size={14} aria-hidden="true" />
          </IconButton>
          {settings !== null && <AgentPill {...settings} />}
        </div>
        <p
          id="composer-note"
          className="order-first min-w-0 basis-full px-1 text-xs text-muted empty:hidden sm:order-none sm:flex-1 sm:basis-40"
        >
          {[choice?.note, choices && settingsNote(choices, draft), state.note]
            .filter((note) => typeof note === "string")
            .join(". ")}
        </p>
        <SendButtons
          state={state}
          canSteer={state.canSteer && isForAgentAtWork(draft, last)}
          canStop={session.state === "running"}
          isEmpty={isEmpty}
          isStopping={props.isStopping}
          onSend={send}
          onStop={props.onStop}
        />
      </div>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          attaching.attach([...(event.target.files ?? [])]);
          event.target.value = "";
          box.current?.focus();
        }}
      />
      {hasMore && (
        <MoreDialog
          settings={settings}
          onAttach={() => picker.current?.click()}
          onMention={mention}
          onClose={() => setMore(false)}
        />
      )}
    </div>
  );
}

function hintText(): string {
  const hint = "Message the agent";
  return matchMedia("(min-width: 640px)").matches ? `${hint}. / for commands, @ for a file` : hint;
}

/** Whether the message could go to the agent that works now: it chooses no other agent, and no settings of its own. */
function isForAgentAtWork(draft: Draft, last: Agent | null): boolean {
  const { provider, model } = draft;
  const isSame = provider === null || provider === last?.provider;
  return isSame && (model === null || model === last?.model) && !hasSettings(draft);
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
