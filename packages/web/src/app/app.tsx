import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useSyncExternalStore, type ReactElement } from "react";
import { access } from "../api/client.ts";
import { followAll } from "../api/live.ts";
import { Shell } from "./shell.tsx";

const TokenPage = lazy(() => import("./token-page.tsx").then((m) => ({ default: m.TokenPage })));

export function App({ queries }: { readonly queries: QueryClient }): ReactElement {
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
