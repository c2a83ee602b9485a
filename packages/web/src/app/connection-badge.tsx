import { useCallback, useSyncExternalStore, type ReactElement } from "react";
import { connection } from "../api/client.ts";
import { tryNow } from "../api/live.ts";
import type { ConnectionState } from "../api/connection.ts";
import { useStore } from "../api/store.ts";
import { classNames } from "../ui/class-names.ts";

interface Wording {
  readonly tone: "ok" | "warn" | "danger";
  readonly text: string;
  readonly title: string;
}

const DOTS = { ok: "bg-ok", warn: "bg-warn", danger: "bg-danger" } as const;

/** The connection state. Pressing it retries at once. */
export function ConnectionBadge({ dotOnly = false }: { readonly dotOnly?: boolean }): ReactElement {
  const { tone, text, title } = useWording();
  return (
    <button
      type="button"
      title={title}
      onClick={tryNow}
      className="touch-target inline-flex min-h-6 items-center justify-center gap-2 rounded px-2 py-0.5 text-xs whitespace-nowrap text-muted"
    >
      <span aria-hidden="true" className={classNames("size-2 shrink-0 rounded-full", DOTS[tone])} />
      <span className={dotOnly ? "sr-only" : "tabular-nums"}>{text}</span>
    </button>
  );
}

/** Shown only while the connection is down. Pressing it retries at once. */
export function ConnectionBanner(): ReactElement | null {
  const { tone, text } = useWording();
  const { kind } = useStore(connection);
  if (kind === "live" || kind === "connecting") return null;
  return (
    <button
      type="button"
      onClick={tryNow}
      className="touch-target flex min-h-9 items-center justify-center gap-2 border-b border-line bg-surface text-xs"
    >
      <span aria-hidden="true" className={classNames("size-2 rounded-full", DOTS[tone])} />
      <span className="tabular-nums">{text}</span>
    </button>
  );
}

function useWording(): Wording {
  const state = useStore(connection);
  const seconds = useSecondsUntil(state.kind === "waiting" ? state.retryAt : null);
  return wordingOf(state, seconds);
}

/** After this many failures the server counts as unreachable. */
const GONE_AFTER = 4;

function wordingOf(state: ConnectionState, seconds: number): Wording {
  switch (state.kind) {
    case "connecting":
      return { tone: "warn", text: "Connecting", title: "Connecting to the server." };
    case "live":
      return { tone: "ok", text: "Live", title: "Changes are shown as they happen." };
    case "waiting":
      return {
        tone: state.failures < GONE_AFTER ? "warn" : "danger",
        text: `${state.failures < GONE_AFTER ? "Reconnecting" : "Server unreachable, retrying"} in ${seconds} s`,
        title: "This page may be out of date. Press to retry now.",
      };
    case "refused":
      return { tone: "danger", text: "Refused", title: state.reason };
    default:
      return state satisfies never;
  }
}

function useSecondsUntil(at: number | null): number {
  const subscribe = useCallback(
    (changed: () => void) => {
      if (at === null) return () => {};
      const timer = setInterval(changed, 500);
      return () => clearInterval(timer);
    },
    [at],
  );
  return useSyncExternalStore(subscribe, () =>
    at === null ? 0 : Math.max(0, Math.ceil((at - Date.now()) / 1_000)),
  );
}
