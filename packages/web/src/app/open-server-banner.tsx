import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { readinessQuery } from "../api/queries.ts";

/** Stays while the server runs without authentication. */
export function OpenServerBanner(): ReactElement | null {
  const { data } = useQuery(readinessQuery);
  if (data?.auth !== "none") return null;
  return (
    <p
      role="alert"
      className="border-b border-line bg-danger-soft px-3 py-1.5 text-center text-xs text-danger"
    >
      Authentication is turned off: every program on the server’s machine, including agents, can act
      as you.
    </p>
  );
}
