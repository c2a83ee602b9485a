import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { client } from "../../api/client.ts";
import { sessionName } from "../../api/session-name.ts";
import { Link } from "../../app/link.tsx";

/** Leads to the session that this one is a fork of. */
export function ForkLink({ id }: { readonly id: string }): ReactElement {
  const { data: name, isError } = useQuery({
    queryKey: ["fork-origin", id] as const,
    queryFn: async ({ signal }) => sessionName(await client.sessions.get(id, { tail: 1, signal })),
    retry: false,
  });
  // The original may have been deleted.
  if (isError) return <span>Fork of a deleted session</span>;
  return (
    <Link
      to={{ page: "session", id }}
      className="touch-target flex max-w-full min-w-0 items-center text-accent underline underline-offset-2"
    >
      <span className="truncate">Fork of {name ?? "…"}</span>
    </Link>
  );
}
