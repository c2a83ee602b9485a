import { errorText } from "@holdfast/client";
import type { Provider } from "@holdfast/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { RemoteLogin } from "../approvals/login-answer.tsx";
import { providersQuery } from "../api/queries.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { showFailure } from "../ui/toast.ts";
import { Section } from "./section.tsx";

const LOOK_MS = 2_000;

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
  provider,
  isDefault,
}: {
  readonly provider: Provider;
  readonly isDefault: boolean;
}): ReactElement {
  const { name, title, installed, version, command, models, install, login } = provider;
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
      {installed && command.length > 0 && <Login provider={provider} />}
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

/** Logs in with what the agent itself offers, and logs out. */
function Login({ provider }: { readonly provider: Provider }): ReactElement {
  const { name, title, loginMethods, loginStatus, canLogOut } = provider;
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  // The list says when the login is done.
  useQuery({ ...providersQuery, refetchInterval: isOpen ? LOOK_MS : false });
  const refresh = () => queries.invalidateQueries({ queryKey: providersQuery.queryKey });
  const logOut = useMutation({
    mutationFn: () => client.logOut(name),
    onSettled: refresh,
    onError: (error) => showFailure("Not logged out", error),
  });
  const methods = loginMethods.filter(({ how }) => how === "agent");
  return (
    <>
      <span className="flex flex-wrap items-center gap-2 text-xs text-muted">
        <span className="min-w-0 flex-1 basis-52">{loginText(name, loginStatus)}</span>
        {loginStatus.state !== "in" && methods.length > 0 && (
          <Button
            size="small"
            aria-label={`Log in to ${title}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            Log in
          </Button>
        )}
        {loginStatus.state !== "out" && canLogOut && (
          <Button
            size="small"
            aria-label={`Log out of ${title}`}
            busy={logOut.isPending}
            onClick={() => logOut.mutate()}
          >
            Log out
          </Button>
        )}
      </span>
      {isOpen && loginStatus.state !== "in" && (
        <div className="my-1 rounded-lg border border-line p-3 text-sm">
          <RemoteLogin provider={name} methods={methods} intro={`Log in to ${title} with:`} />
        </div>
      )}
    </>
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
