import { HoldfastError } from "@holdfast/client";
import { QueryClient } from "@tanstack/react-query";

const RETRIES = 2;

/** Events keep the queries up to date; nothing is fetched on a timer. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        // The server may be on this machine, so the browser's online state does not matter.
        networkMode: "always",
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < RETRIES && mayPass(error),
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

/** A refusal is permanent; server errors are not. */
function mayPass(error: unknown): boolean {
  return !(error instanceof HoldfastError) || error.status >= 500;
}
