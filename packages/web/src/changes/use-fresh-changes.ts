import type { Run, Session } from "@holdfast/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { changesKey } from "./changes-queries.ts";
import { changesStamp } from "./scope.ts";

/** Reads everything again when an event says that files have changed. */
export function useFreshChanges(session: Session, runs: readonly Run[]): void {
  const queries = useQueryClient();
  const stamp = changesStamp(session, runs);
  const { id } = session;
  const last = useRef(stamp);
  useEffect(() => {
    if (stamp === last.current) return;
    last.current = stamp;
    void queries.invalidateQueries({ queryKey: changesKey(id) });
  }, [queries, id, stamp]);
}
