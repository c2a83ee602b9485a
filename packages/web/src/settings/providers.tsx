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
  const rows = (providers: readonly Provider[]): ReactElement => (
    <ul className="divide-y divide-line border-y border-line">
      {providers.map((provider) => (
        <Row
          key={provider.name}
          provider={provider}
          isDefault={provider.installed && provider.name === data?.defaultProvider}
        />
      ))}
    </ul>
  );
  return (
    <Section title="Agents" description="Found on the server's machine.">
      {error !== null && <p className="text-danger">{errorText(error)}</p>}
      {rows(installed)}
      {missing.length > 0 && (
        <>
          <h3 className="mt-5 mb-1 text-xs font-semibold text-muted">Not installed</h3>
          {rows(missing)}
        </>
      )}
    </Section>
  );
}

function Row({
  provider: { name, title, installed, version, command, models, install, login, loginStatus },
  isDefault,
}: {
  readonly provider: Provider;
  readonly isDefault: boolean;
}): ReactElement {
  return (
    <li className="flex flex-col gap-0.5 py-2">
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{title}</span>
        <span className="text-muted">{version === null ? name : `${name} ${version}`}</span>
        {isDefault && <Badge tone="accent">Default</Badge>}
      </span>
      {!installed && install === null && (
        <span className="text-xs text-muted">No install instructions available.</span>
      )}
      {!installed && install !== null && (
        <code className="font-mono text-xs break-all">{install}</code>
      )}
      {!installed && login !== null && <span className="text-xs text-muted">{login}</span>}
      {installed && command.length > 0 && (
        <span className="text-xs text-muted">{loginText(name, loginStatus)}</span>
      )}
      {installed && command.length > 0 && (
        <code className="font-mono text-xs break-all text-muted">{command.join(" ")}</code>
      )}
      {installed && models.length > 0 && (
        <span className="text-xs text-muted">
          {models.length} {models.length === 1 ? "model" : "models"}:{" "}
          {models.map((model) => model.name).join(", ")}
        </span>
      )}
    </li>
  );
}

function loginText(name: string, { state, label }: Provider["loginStatus"]): string {
  switch (state) {
    case "in":
      return label === null ? "Logged in" : `Logged in: ${label}`;
    case "out":
      return `Not logged in. Run holdfast login ${name} on the server's machine.`;
    case "unknown":
      return "Login: not reported by the agent";
    default:
      return state satisfies never;
  }
}
