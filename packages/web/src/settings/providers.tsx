import { errorText } from "@holdfast/client";
import type { Provider } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { providersQuery } from "../api/queries.ts";
import { Badge } from "../ui/badge.tsx";
import { Section } from "./section.tsx";

/** The installed agents, and how to install the others. */
export function Providers(): ReactElement {
  const { data, error } = useQuery(providersQuery);
  const installed = data?.providers.filter((each) => each.installed) ?? [];
  const missing = data?.providers.filter((each) => !each.installed) ?? [];
  return (
    <Section title="Agents" says="Found on the server's machine.">
      {error !== null && <p className="text-danger">{errorText(error)}</p>}
      <ul className="divide-y divide-line border-y border-line">
        {installed.map((provider) => (
          <Installed
            key={provider.name}
            provider={provider}
            isDefault={provider.name === data?.defaultProvider}
          />
        ))}
      </ul>
      {missing.length > 0 && (
        <>
          <h3 className="mt-5 mb-1 text-xs font-semibold text-muted">Not installed</h3>
          <ul className="divide-y divide-line border-y border-line">
            {missing.map((provider) => (
              <Missing key={provider.name} provider={provider} />
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function Installed({
  provider,
  isDefault,
}: {
  readonly provider: Provider;
  readonly isDefault: boolean;
}): ReactElement {
  const { name, title, command, models } = provider;
  return (
    <li className="flex flex-col gap-0.5 py-2">
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{title}</span>
        <span className="text-muted">{name}</span>
        {isDefault && <Badge tone="accent">Default</Badge>}
      </span>
      {command.length > 0 && (
        <code className="font-mono text-xs break-all text-muted">{command.join(" ")}</code>
      )}
      {models.length > 0 && (
        <span className="text-xs text-muted">
          {models.length} {models.length === 1 ? "model" : "models"}:{" "}
          {models.map((model) => model.name).join(", ")}
        </span>
      )}
    </li>
  );
}

function Missing({ provider }: { readonly provider: Provider }): ReactElement {
  const { name, title, install } = provider;
  return (
    <li className="flex flex-col gap-0.5 py-2">
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{title}</span>
        <span className="text-muted">{name}</span>
      </span>
      {install === null ? (
        <span className="text-xs text-muted">No install instructions available.</span>
      ) : (
        <code className="font-mono text-xs break-all">{install}</code>
      )}
    </li>
  );
}
