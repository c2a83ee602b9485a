import type { Provider } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { providersQuery } from "../api/queries.ts";
import { Field, Select } from "../ui/field.tsx";
import type { Draft } from "./new-session.ts";

/** Chooses the agent and model. Agents that are not installed are listed with their install command. */
export function ProviderFields({
  provider,
  model,
  onChange,
}: {
  readonly provider: string;
  readonly model: string;
  readonly onChange: (changes: Partial<Draft>) => void;
}): ReactElement {
  const { providers = [], defaultProvider } = useQuery(providersQuery).data ?? {};
  const models = providers.find(({ name }) => name === provider)?.models ?? [];
  return (
    <div className="flex flex-col gap-2">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Agent">
          {(ids) => (
            <Select
              {...ids}
              value={provider}
              onChange={(event) => onChange({ provider: event.target.value, model: "" })}
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
      </div>
      <Missing providers={providers.filter(({ installed }) => !installed)} />
    </div>
  );
}

function Missing({ providers }: { readonly providers: readonly Provider[] }): ReactElement | null {
  if (providers.length === 0) return null;
  return (
    <details className="text-xs text-muted">
      <summary className="w-fit py-1">
        {providers.length} {providers.length === 1 ? "agent is" : "agents are"} not installed
      </summary>
      <dl className="mt-1 flex flex-col gap-1.5">
        {providers.map(({ name, title, install }) => (
          <div key={name}>
            <dt className="text-fg">{title}</dt>
            <dd>
              {install === null ? (
                "No install instructions available."
              ) : (
                <code className="font-mono break-all">{install}</code>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
