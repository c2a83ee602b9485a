import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { providersQuery } from "../api/queries.ts";
import { Field, Select } from "../ui/field.tsx";
import { SetUpAgents } from "./set-up-agents.tsx";
import { choicesOf, withOption, type Draft } from "./new-session.ts";

/** Chooses an installed agent, its model and its options. */
export function ProviderFields({
  provider,
  model,
  mode,
  options,
  onChange,
}: Pick<Draft, "provider" | "model" | "mode" | "options"> & {
  readonly onChange: (changes: Partial<Draft>) => void;
}): ReactElement {
  const { providers = [], defaultProvider } = useQuery(providersQuery).data ?? {};
  const about = providers.find(({ name }) => name === provider);
  const { models = [], modes = [], options: offered = [] } = about ?? {};
  const others = offered.filter(({ id }) => id !== "mode" && id !== "model");
  return (
    <div className="flex flex-col gap-2">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Agent">
          {(ids) => (
            <Select
              {...ids}
              value={provider}
              onChange={(event) =>
                onChange({ provider: event.target.value, model: "", mode: "", options: {} })
              }
            >
              {providers
                .filter(({ installed }) => installed)
                .map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                    {name === defaultProvider ? " (default)" : ""}
                  </option>
                ))}
            </Select>
          )}
        </Field>
        <Field label="Model">
          {(ids) => (
            <Select
              {...ids}
              value={model}
              disabled={models.length === 0}
              onChange={(event) => onChange({ model: event.target.value })}
            >
              <option value="">Default model</option>
              {models.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {modes.length > 0 && (
          <Field label="Mode">
            {(ids) => (
              <Select
                {...ids}
                value={mode}
                onChange={(event) => onChange({ mode: event.target.value })}
              >
                <option value="">Default mode</option>
                {modes.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        {others.map((option) => (
          <Field key={option.id} label={option.name} hint={option.description}>
            {(ids) => (
              <Select
                {...ids}
                value={String(options[option.id] ?? "")}
                onChange={(event) =>
                  onChange({ options: withOption(options, option, event.target.value) })
                }
              >
                {choicesOf(option).map(([value, name]) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        ))}
      </div>
      <SetUpAgents />
    </div>
  );
}
