import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { providersQuery } from "../api/queries.ts";
import { Field, Select } from "../ui/field.tsx";
import { MissingProviders } from "./missing-providers.tsx";
import type { Draft } from "./new-session.ts";

/** Chooses the agent and model. Agents that are not installed are listed with their instructions. */
export function ProviderFields({
  provider,
  model,
  mode,
  onChange,
}: {
  readonly provider: string;
  readonly model: string;
  readonly mode: string;
  readonly onChange: (changes: Partial<Draft>) => void;
}): ReactElement {
  const { providers = [], defaultProvider } = useQuery(providersQuery).data ?? {};
  const { models = [], modes = [] } = providers.find(({ name }) => name === provider) ?? {};
  return (
    <div className="flex flex-col gap-2">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Agent">
          {(ids) => (
            <Select
              {...ids}
              value={provider}
              onChange={(event) => onChange({ provider: event.target.value, model: "", mode: "" })}
            >
              {providers.map(({ name, title, installed }) => (
                <option key={name} value={name} disabled={!installed}>
                  {title}
                  {installed ? "" : " (not installed)"}
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
      </div>
      <MissingProviders providers={providers} />
    </div>
  );
}
