import {
  lazy,
  type ReactElement,
  StrictMode,
  Suspense,
  useEffect,
  useSyncExternalStore,
} from "react";
import { createRoot } from "react-dom/client";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { openPageStorage } from "./api/page-storage.ts";
import { createQueryClient } from "./api/query-client.ts";
import { registerServiceWorker, reloadWhenOutdated } from "./app/service-worker.ts";
import "./style.css";
import { access } from "./api/client.ts";
import { followAll } from "./api/live.ts";
import { Shell } from "./app/shell.tsx";

const TokenPage = lazy(() =>
  import("./app/token-page.tsx").then((m) => ({ default: m.TokenPage })),
);

const root = document.getElementById("root");
if (root === null) throw new Error("unreachable: index.html has an element #root");

reloadWhenOutdated(openPageStorage(() => sessionStorage));
createRoot(root).render(
  <StrictMode>
    <App queries={createQueryClient()} />
  </StrictMode>,
);
addEventListener("load", () => void registerServiceWorker().catch(() => {}));

function App({ queries }: { readonly queries: QueryClient }): ReactElement {
  const { token, refused } = useSyncExternalStore(access.subscribe, access.current);
  useEffect(() => {
    if (refused) return;
    const stop = followAll(queries);
    return () => {
      stop();
      // What was read with one token is not shown with another.
      queries.clear();
    };
  }, [queries, token, refused]);
  if (refused)
    return (
      <Suspense fallback={null}>
        <TokenPage />
      </Suspense>
    );
  return (
    <QueryClientProvider client={queries}>
      <Shell />
    </QueryClientProvider>
  );
}
