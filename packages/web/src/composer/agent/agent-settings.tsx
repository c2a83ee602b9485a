import type { AgentOption, Provider, Session } from "@holdfast/protocol";
import { type ReactElement, useState } from "react";
import { client } from "../../api/client.ts";
import { MissingProviders } from "../../list/missing-providers.tsx";
import { Check, Field, Select } from "../../ui/field.tsx";
import { showFailure } from "../../ui/toast.ts";
import type { Agent, AgentChoice } from "../agent-choice.ts";
import {
  hasSettings,
  unlisted,
  type MessageSettings,
  type OptionChoices,
  type SettingChange,
} from "../message-settings.ts";

export interface AgentSettingsProps {
  readonly session: Pick<Session, "id">;
  readonly choice: AgentChoice;
  readonly providers: readonly Provider[];
  readonly choices: OptionChoices | null;
  /** What only the next message gets. */
  readonly chosen: MessageSettings;
  readonly onAgent: (chosen: Agent) => void;
  readonly onSettings: (settings: MessageSettings) => void;
  /** Changes the mode of the session. */
  readonly onSessionMode: (mode: string) => void;
}

/** Chooses the agent, its model, its mode and its other options. */
export function AgentSettings(props: AgentSettingsProps): ReactElement {
  const { choice, providers, choices } = props;
  const offered = providers.filter(({ installed, name }) => installed || name === choice.provider);
  return (
    <div className="flex flex-col gap-3">
      <fieldset className="flex flex-col">
        <legend className="mb-1 text-sm font-medium">Agent</legend>
        {offered.map(({ name, title, installed }) => (
          <label
            key={name}
            className="flex min-h-8 items-center gap-2 rounded-md px-1 hover:bg-hover pointer-coarse:min-h-11"
          >
            <input
              type="radio"
              name="agent"
              value={name}
              checked={name === choice.provider}
              onChange={() => props.onAgent({ provider: name, model: null })}
              className="size-4 shrink-0 accent-accent"
            />
            {installed ? title : `${title} (not installed)`}
          </label>
        ))}
        <MissingProviders providers={providers} />
      </fieldset>
      <ModelField {...props} />
      {choices !== null && <Options {...props} choices={choices} />}
    </div>
  );
}

function ModelField({ choice, onAgent }: AgentSettingsProps): ReactElement | null {
  const { provider, model, about } = choice;
  const models = about?.models ?? [];
  if (models.length === 0 && model === null) return null;
  const isListed = model === null || models.some(({ id }) => id === model);
  return (
    <Field label="Model">
      {(ids) => (
        <Select
          {...ids}
          value={model ?? ""}
          onChange={({ target: { value } }) =>
            onAgent({ provider, model: value === "" ? null : value })
          }
        >
          <option value="">Default model</option>
          {!isListed && <option value={model}>{model}</option>}
          {models.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function Options({
  session,
  choices: { mode, others, isSession },
  chosen,
  onSettings,
  onSessionMode,
}: AgentSettingsProps & { readonly choices: OptionChoices }): ReactElement | null {
  const [isOnce, setOnce] = useState(hasSettings(chosen));
  const options = mode === null ? others : [mode, ...others];
  if (options.length === 0) return null;
  const isMessage = isOnce || !isSession;
  const choose = (change: SettingChange): void => {
    if (isMessage) return onSettings(withChoice(chosen, change));
    if (change.option.id === "mode") onSessionMode(String(change.value));
    else void changeSession(session.id, change);
    return onSettings(withoutChoice(chosen, change));
  };
  return (
    <>
      {options.map((option) => (
        <OptionField
          key={option.id}
          option={option}
          onChoose={(value) => choose({ option, value })}
        />
      ))}
      {isSession && (
        <Check
          checked={isOnce}
          onChange={(checked) => {
            setOnce(checked);
            if (!checked) onSettings({ mode: null, options: {} });
          }}
        >
          Only for the next message
        </Check>
      )}
    </>
  );
}

function OptionField({
  option,
  onChoose,
}: {
  readonly option: AgentOption;
  readonly onChoose: (value: string | boolean) => void;
}): ReactElement {
  const { name, description, type, value, choices } = option;
  if (type === "boolean")
    return (
      <Check checked={value === true} onChange={onChoose}>
        <span className="min-w-0">
          {name}
          {description !== null && <span className="block text-xs text-muted">{description}</span>}
        </span>
      </Check>
    );
  const hint = choices.find(({ id }) => id === value)?.description ?? description;
  return (
    <Field label={name} hint={hint}>
      {(ids) => (
        <Select
          {...ids}
          value={value === null ? "" : String(value)}
          onChange={(event) => onChoose(event.target.value)}
        >
          {value === null && <option value="">Default</option>}
          {unlisted(option).map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
          {choices.map((choice) => (
            <option key={choice.id} value={choice.id}>
              {choice.name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
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
