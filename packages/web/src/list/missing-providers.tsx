import type { Provider } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { CopyButton } from "../markdown/copy-button.tsx";

/** How to install the agents that are not installed, and how to log in to them. */
export function MissingProviders({
  providers,
}: {
  readonly providers: readonly Provider[];
}): ReactElement | null {
  const missing = providers.filter(({ installed }) => !installed);
  if (missing.length === 0) return null;
  return (
    <details className="text-xs text-muted">
      <summary className="w-fit py-1">
        {missing.length} {missing.length === 1 ? "agent is" : "agents are"} not installed
      </summary>
      <dl className="mt-1 flex flex-col gap-2">
        {missing.map(({ name, title, install, login }) => (
          <div key={name}>
            <dt className="text-fg">{title}</dt>
            <dd>
              {install === null ? (
                "No install instructions available."
              ) : (
                <span className="flex items-center gap-1">
                  <code className="font-mono break-all">{install}</code>
                  <CopyButton label={`Copy the command for ${title}`} text={() => install} />
                </span>
              )}
              {login !== null && <span className="block">{login}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
