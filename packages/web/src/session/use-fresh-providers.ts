import type { Session } from "@holdfast/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { providersQuery } from "../api/queries.ts";

/** An agent tells what it understands when it works: afterwards more may be known of it. */
export function useFreshProviders({ state }: Pick<Session, "state">): void {
  const queries = useQueryClient();
  const before = useRef(state);
  useEffect(() => {
    const hasWorked = before.current === "running" && state !== "running";
    before.current = state;
    if (hasWorked) void queries.invalidateQueries({ queryKey: providersQuery.queryKey });
  }, [queries, state]);
}
