import type { AgentOption, Session } from "@holdfast/protocol";
import { SlidersHorizontal } from "lucide-react";
import { type ReactElement, useState } from "react";
import { client } from "../api/client.ts";
import { IconButton } from "../ui/button.tsx";
import { Select } from "../ui/field.tsx";
import { loaded } from "../ui/loaded.tsx";
import { showFailure } from "../ui/toast.ts";
import {
  hasSettings,
  unlisted,
  type MessageSettings,
  type OptionChoices,
  type SettingChange,
} from "./message-settings.ts";

const OptionsDialog = loaded(() => import("./options-dialog.tsx").then((m) => m.OptionsDialog));

/** Shows the mode of the next message, and opens its other options. */
export function SettingsPicker({
  session,
  choices,
  chosen,
  onChange,
  onSessionMode,
}: {
  readonly session: Pick<Session, "id">;
  readonly choices: OptionChoices;
  /** What only the next message gets. */
  readonly chosen: MessageSettings;
  readonly onChange: (settings: MessageSettings) => void;
  /** Changes the mode of the session. */
  readonly onSessionMode: (mode: string) => void;
}): ReactElement | null {
  const [isOpen, setOpen] = useState(false);
  const { mode, others, isSession } = choices;
  if (mode === null && others.length === 0) return null;
  const choose = (change: SettingChange, only: "session" | "message"): void => {
    if (only === "session" && change.option.id === "mode") onSessionMode(String(change.value));
    else if (only === "session") void changeSession(session.id, change);
    onChange(only === "message" ? withChoice(chosen, change) : withoutChoice(chosen, change));
  };
  return (
    <>
      {mode !== null && (
        <Select
          aria-label="Mode"
          title={`${descriptionOf(mode) ?? "Mode of the agent"} (Shift Tab: next)`}
          value={mode.value === null ? "" : String(mode.value)}
          onChange={(event) =>
            choose({ option: mode, value: event.target.value }, isSession ? "session" : "message")
          }
          className="h-7 w-auto! field-sizing-content max-w-28 sm:max-w-44 min-w-0 border-transparent bg-transparent px-1 text-xs font-medium text-fg hover:bg-hover"
        >
          {mode.value === null && <option value="">Default mode</option>}
          {unlisted(mode).map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
          {mode.choices.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {isSession && (
        <IconButton
          label="Options of the agent"
          size="small"
          className={hasSettings(chosen) ? "text-accent" : "text-muted"}
          onClick={() => setOpen(true)}
        >
          <SlidersHorizontal size={14} aria-hidden="true" />
        </IconButton>
      )}
      {isOpen && (
        <OptionsDialog
          options={mode === null ? others : [mode, ...others]}
          hasOwn={hasSettings(chosen)}
          onChoose={choose}
          onReset={() => onChange({ mode: null, options: {} })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function descriptionOf({ value, choices, description }: AgentOption): string | null {
  return choices.find(({ id }) => id === value)?.description ?? description;
}

/** The stream of the session's events shows the change. */
async function changeSession(id: string, { option, value }: SettingChange): Promise<void> {
  try {
    await client.sessions.update(id, { options: { [option.id]: value } });
  } catch (error) {
    showFailure(`${option.name} was not changed`, error);
  }
}

function withChoice(chosen: MessageSettings, { option, value }: SettingChange): MessageSettings {
  return option.id === "mode"
    ? { ...chosen, mode: String(value) }
    : { ...chosen, options: { ...chosen.options, [option.id]: value } };
}

function withoutChoice(chosen: MessageSettings, { option }: SettingChange): MessageSettings {
  if (option.id === "mode") return { ...chosen, mode: null };
  const { [option.id]: _, ...options } = chosen.options;
  return { ...chosen, options };
}
