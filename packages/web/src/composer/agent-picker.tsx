import type { Provider } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { Select } from "../ui/field.tsx";
import type { Agent, AgentChoice } from "./agent-choice.ts";

/** Chooses the agent and model of the next message. */
export function AgentPicker({
  choice,
  providers,
  onChange,
}: {
  readonly choice: AgentChoice;
  readonly providers: readonly Provider[];
  readonly onChange: (chosen: Agent) => void;
}): ReactElement {
  const { provider, model, about } = choice;
  const models = about?.models ?? [];
  const isListed = model === null || models.some(({ id }) => id === model);
  return (
    <>
      <Select
        aria-label="Agent"
        title="Agent of the next message"
        value={provider}
        onChange={(event) => onChange({ provider: event.target.value, model: null })}
        className={LOOKS}
      >
        {about === null && <option value={provider}>{provider}</option>}
        {providers.map(({ name, title, installed }) => (
          <option key={name} value={name} disabled={!installed && name !== provider}>
            {installed ? title : `${title} (not installed)`}
          </option>
        ))}
      </Select>
      {(models.length > 0 || model !== null) && (
        <Select
          aria-label="Model"
          title="Model of the next message"
          value={model ?? ""}
          onChange={(event) =>
            onChange({ provider, model: event.target.value === "" ? null : event.target.value })
          }
          className={LOOKS}
        >
          <option value="">Default</option>
          {!isListed && <option value={model}>{model}</option>}
          {models.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </>
  );
}

const LOOKS =
  "h-7 w-auto! field-sizing-content max-w-28 sm:max-w-44 min-w-0 border-transparent bg-transparent px-1 text-xs text-muted hover:bg-hover";
