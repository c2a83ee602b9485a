import type { Provider } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import type { ReactElement } from "react";
import { providersQuery } from "../api/queries.ts";
import { CopyButton } from "../markdown/copy-button.tsx";
import { Button } from "../ui/button.tsx";

/** How to install the agents that are missing, and how to log in to those that need it. */
export function SetUpAgents(): ReactElement | null {
  const { data, refetch, isFetching } = useQuery(providersQuery);
  const agents = (data?.providers ?? []).filter(
    ({ installed, loginStatus }) => !installed || loginStatus.state === "out",
  );
  if (agents.length === 0) return null;
  return (
    <details className="group text-xs">
      <summary className="touch-target flex w-fit cursor-pointer list-none items-center gap-1 py-1 font-medium text-muted">
        <ChevronRight
          size={14}
          aria-hidden="true"
          className="transition-transform group-open:rotate-90"
        />
        Set up another agent
      </summary>
      <dl className="mt-1 flex flex-col gap-3 rounded-md bg-sunken p-3">
        {agents.map((agent) => (
          <div key={agent.name}>
            <dt className="font-medium">{agent.title}</dt>
            <dd className="text-muted">
              {agent.installed ? <LoginSteps {...agent} /> : <InstallSteps {...agent} />}
            </dd>
          </div>
        ))}
        <div>
          <dt className="sr-only">After that</dt>
          <dd>
            <Button size="small" busy={isFetching} onClick={() => void refetch()}>
              Check again
            </Button>
          </dd>
        </div>
      </dl>
    </details>
  );
}

function InstallSteps({ title, install, login }: Provider): ReactElement {
  return (
    <>
      {install === null ? (
        "No install instructions available."
      ) : (
        <Step label={`Copy the command for ${title}`} command={install} />
      )}
      {login !== null && <span className="block">{login}</span>}
    </>
  );
}

function LoginSteps({ name, title }: Provider): ReactElement {
  return (
    <>
      Not logged in. Run this on the server's machine:
      <Step label={`Copy the login command for ${title}`} command={`holdfast login ${name}`} />
    </>
  );
}

function Step({
  label,
  command,
}: {
  readonly label: string;
  readonly command: string;
}): ReactElement {
  return (
    <span className="flex items-center gap-1">
      <code className="font-mono break-all">{command}</code>
      <CopyButton label={label} text={() => command} />
    </span>
  );
}
