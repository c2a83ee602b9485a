import { HoldfastError } from "@holdfast/client";
import { QueryClient } from "@tanstack/react-query";

const RETRIES = 2;

/** Events keep what is shown up to date; nothing is asked again on a timer. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        // The server may be on this machine: what the browser thinks of the network says nothing.
        networkMode: "always",
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < RETRIES && mayPass(error),
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

/** What a server refuses, it refuses again. */
function mayPass(error: unknown): boolean {
  return !(error instanceof HoldfastError) || error.status >= 500;
}
