import type { AgentOption } from "@holdfast/protocol";
import { type ReactElement, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Select } from "../ui/field.tsx";
import { type SettingChange, unlisted } from "./message-settings.ts";

type Scope = "session" | "message";

/** The mode and all options of the agent, for the session or for the next message. */
export function OptionsDialog({
  options,
  hasOwn,
  onChoose,
  onReset,
  onClose,
}: {
  readonly options: readonly AgentOption[];
  /** The next message has settings of its own. */
  readonly hasOwn: boolean;
  readonly onChoose: (change: SettingChange, scope: Scope) => void;
  readonly onReset: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const [scope, setScope] = useState<Scope>(hasOwn ? "message" : "session");
  return (
    <Dialog
      open
      onClose={onClose}
      title="Options of the agent"
      footer={
        <>
          {hasOwn && <Button onClick={onReset}>Use the session’s</Button>}
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Change them for">
          {(ids) => (
            <Select
              {...ids}
              value={scope}
              onChange={(event) =>
                setScope(event.target.value === "message" ? "message" : "session")
              }
            >
              <option value="session">this session, from now on</option>
              <option value="message">the next message only</option>
            </Select>
          )}
        </Field>
        {options.map((option) => (
          <OptionField
            key={option.id}
            option={option}
            onChoose={(value) => onChoose({ option, value }, scope)}
          />
        ))}
      </div>
    </Dialog>
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
      <label className="flex items-start gap-2 text-sm">
        <input
          type="checkbox"
          className="mt-0.5"
          checked={value === true}
          onChange={(event) => onChoose(event.target.checked)}
        />
        <span className="min-w-0">
          <span className="font-medium">{name}</span>
          {description !== null && <span className="block text-xs text-muted">{description}</span>}
        </span>
      </label>
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
