import { errorText } from "@holdfast/client";
import type { ProviderLogin } from "@holdfast/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import type { ReactElement } from "react";
import { client } from "../api/client.ts";
import { CopyButton } from "../markdown/copy-button.tsx";
import { Button } from "../ui/button.tsx";
import type { LoginNeed } from "./login-need.ts";

/** How often the server is asked whether its login is done. The run goes on by itself, too. */
const LOOK_MS = 2_000;

/** Shows how to log in, and tries again or ends the run. */
export function LoginAnswer({
  login,
  inert,
  busy,
  onAnswer,
}: {
  readonly login: LoginNeed;
  readonly inert: boolean;
  readonly busy: boolean;
  readonly onAnswer: (answer: unknown) => void;
}): ReactElement {
  const { command, variables, remote } = login;
  const answer = (action: "retry" | "cancel"): void => {
    if (!inert) onAnswer({ action });
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-col gap-1">
        <p>Run this on the server&rsquo;s machine. The session goes on by itself afterwards.</p>
        <Copyable text={command} label="Copy the command" />
        {variables.map((names) => (
          <p key={names} className="text-xs text-muted">
            Or set {names} for the server and restart it.
          </p>
        ))}
      </div>
      {remote.length > 0 && <RemoteLogin provider={login.provider} methods={remote} />}
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" busy={busy} aria-disabled={inert} onClick={() => answer("retry")}>
          Try again
        </Button>
        <Button disabled={busy} aria-disabled={inert} onClick={() => answer("cancel")}>
          End the run
        </Button>
      </div>
    </div>
  );
}

/** Logins that the server begins: the person opens a page and types a code there. */
export function RemoteLogin({
  provider,
  methods,
  intro = "Or log in from here:",
}: {
  readonly provider: string;
  readonly methods: LoginNeed["remote"];
  readonly intro?: string;
}): ReactElement {
  const queries = useQueryClient();
  const key = ["login", provider] as const;
  const { data: progress } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.login(provider, { signal }),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? LOOK_MS : false),
    retry: false,
  });
  const start = useMutation({
    mutationFn: (method: string) => client.logIn(provider, { method }),
    onSuccess: (begun) => queries.setQueryData(key, begun),
  });
  return (
    <div className="flex flex-col gap-2">
      <p>{intro}</p>
      <div className="flex flex-wrap gap-2">
        {methods.map(({ id, name }) => (
          <Button
            key={id}
            size="small"
            busy={start.isPending && start.variables === id}
            disabled={start.isPending}
            onClick={() => start.mutate(id)}
          >
            {name}
          </Button>
        ))}
      </div>
      <output className="flex flex-col gap-1">
        {start.error !== null && <p className="text-danger">{errorText(start.error)}</p>}
        {progress !== undefined && <Progress progress={progress} />}
      </output>
    </div>
  );
}

function isUnderWay(progress: ProviderLogin | undefined): boolean {
  return progress?.state === "waiting" || progress?.state === "starting";
}

function Progress({ progress }: { readonly progress: ProviderLogin }): ReactElement | null {
  const { state, url, code, message } = progress;
  switch (state) {
    case "none":
      return null;
    case "starting":
      return <p className="text-muted">The login begins…</p>;
    case "waiting":
      return (
        <>
          {url !== null && /^https?:\/\//u.test(url) && (
            <span className="flex items-center gap-1">
              <a
                href={url}
                target="_blank"
                rel="noreferrer noopener"
                className="inline-flex min-h-6 items-center gap-1 break-all underline"
              >
                {url}
                <ExternalLink aria-hidden size={14} className="shrink-0" />
              </a>
              <CopyButton label="Copy the address" text={() => url} />
            </span>
          )}
          {code === null ? (
            <p>{message}</p>
          ) : (
            <span className="flex flex-wrap items-center gap-1">
              Code: <Copyable text={code} label="Copy the code" />
            </span>
          )}
        </>
      );
    case "done":
      return <p className="text-muted">Logged in.</p>;
    case "failed":
      return <p className="text-danger">{message ?? "The login failed."}</p>;
    default:
      return state satisfies never;
  }
}

function Copyable({
  text,
  label,
}: {
  readonly text: string;
  readonly label: string;
}): ReactElement {
  return (
    <span className="flex items-center gap-1">
      <code className="font-mono break-all">{text}</code>
      <CopyButton label={label} text={() => text} />
    </span>
  );
}
