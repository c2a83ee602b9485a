import { HoldfastError } from "@holdfast/client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactElement, StrictMode, useEffect } from "react";
import { createRoot } from "react-dom/client";
import "./style.css";
import { access } from "./api/client.ts";
import { followAll } from "./api/live.ts";
import { openPageStorage } from "./api/page-storage.ts";
import { signInAtStart } from "./api/sign-in.ts";
import { useStore } from "./api/store.ts";
import { Shell } from "./app/shell.tsx";
import { parseSharedLink } from "./sharing/shared-link.ts";
import { loaded } from "./ui/loaded.tsx";

const SharedPage = loaded(() => import("./sharing/shared-page.tsx").then((m) => m.SharedPage));
const TokenPage = loaded(() => import("./app/token-page.tsx").then((m) => m.TokenPage));

const root = document.getElementById("root");
if (root === null) throw new Error("unreachable: index.html has an element #root");

/** Events keep the queries up to date; nothing is fetched on a timer. */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // The server may be on this machine, so the browser's online state does not matter.
      networkMode: "always",
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && mayPass(error),
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

reloadWhenOutdated();
const shared = parseSharedLink(location);
if (shared === null) {
  void signInAtStart().finally(() => show(<App />));
  // An address that signs in, pasted into a tab that shows the page already, does not load it again.
  addEventListener("hashchange", () => void signInAtStart());
} else {
  show(
    <QueryClientProvider client={queries}>
      <SharedPage link={shared} />
    </QueryClientProvider>,
  );
  // The link is another one.
  addEventListener("hashchange", () => location.reload());
}
addEventListener("load", () => void registerServiceWorker().catch(() => {}));

function show(page: ReactElement): void {
  if (root !== null) createRoot(root).render(<StrictMode>{page}</StrictMode>);
}

function App(): ReactElement {
  const { key, refused } = useStore(access);
  useEffect(() => {
    if (refused) return;
    const stop = followAll(queries);
    return () => {
      stop();
      // Data that was read by one user is not shown to another.
      queries.clear();
    };
  }, [key, refused]);
  if (refused) return <TokenPage />;
  return (
    <QueryClientProvider client={queries}>
      <Shell />
    </QueryClientProvider>
  );
}

/** A refusal is permanent; server errors are not. */
function mayPass(error: unknown): boolean {
  return !(error instanceof HoldfastError) || error.status >= 500;
}

/** The service worker lets the page open without the server; data always comes from the server. */
async function registerServiceWorker(): Promise<void> {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register("/sw.js");
}

/** After an update, the server no longer has the chunks of the old page: a reload fetches the new page. */
function reloadWhenOutdated(): void {
  const key = "holdfast.reloaded-at";
  const storage = openPageStorage(() => sessionStorage);
  addEventListener("vite:preloadError", () => {
    const before = Number(storage.get(key) ?? 0);
    // A reload that did not help a moment ago will not help now: the failure is shown.
    if (Date.now() - before < 30_000) return;
    void isServed().then((served) => {
      if (!served) return;
      storage.set(key, String(Date.now()));
      location.reload();
    });
  });
}

/** While the server is unreachable, a missing chunk is not outdated and a reload does not help. */
async function isServed(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
