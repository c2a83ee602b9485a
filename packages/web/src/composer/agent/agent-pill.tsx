import { ChevronDown } from "lucide-react";
import { type ReactElement, useState } from "react";
import { classNames } from "../../ui/class-names.ts";
import { loaded } from "../../ui/loaded.tsx";
import type { AgentSettingsProps } from "./agent-settings.tsx";
import { hasSettings, labelOf } from "../message-settings.ts";

const load = () => import("./agent-popover.tsx");
const AgentPopover = loaded(() => load().then((m) => m.AgentPopover));

/** Such as `Claude Code · Opus · Ask`; opens everything that can be chosen for the next message. */
export function AgentPill(props: AgentSettingsProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const text = pillText(props);
  return (
    <span className="relative inline-flex min-w-0">
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={`Agent of the next message: ${text}`}
        title="Agent, model and mode (Shift Tab: next mode)"
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => setOpen(!isOpen)}
        className={classNames(
          "touch-target inline-flex h-7 min-w-0 items-center gap-1 rounded-full border border-line-strong/60 px-2.5 text-xs hover:bg-hover",
          hasSettings(props.chosen) && "text-accent",
        )}
      >
        <span className="truncate">{text}</span>
        <ChevronDown size={12} aria-hidden="true" className="shrink-0" />
      </button>
      {isOpen && <AgentPopover {...props} onClose={() => setOpen(false)} />}
    </span>
  );
}

export function pillText({ choice, choices }: AgentSettingsProps): string {
  const { provider, model, about } = choice;
  const mode = choices?.mode ?? null;
  return [
    about?.title ?? provider,
    model === null ? null : (about?.models.find(({ id }) => id === model)?.name ?? model),
    mode === null || mode.value === null ? null : labelOf(mode, mode.value),
  ]
    .filter((part) => part !== null)
    .join(" · ");
}
