import { comparisonOf, type Session } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { Link } from "../app/link.tsx";

/** Leads from a session to the others that got the same message. */
export function ComparisonLink({ session }: { readonly session: Session }): ReactElement | null {
  if (comparisonOf(session) === null) return null;
  return (
    <Link
      to={{ page: "compare", search: { of: session.id } }}
      className="touch-target inline-flex items-center text-accent underline underline-offset-2"
    >
      Comparison
    </Link>
  );
}
