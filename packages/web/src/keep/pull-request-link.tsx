import { ExternalLink } from "lucide-react";
import type { ReactElement } from "react";
import { safeUrl } from "../markdown/safe-url.ts";

/** Leads to the pull request of a session. The address comes from a program, so it may be unusable. */
export function PullRequestLink({ address }: { readonly address: string }): ReactElement {
  const url = safeUrl(address);
  if (url === null) return <span className="wrap-anywhere">{address}</span>;
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer noopener"
      className="touch-target inline-flex items-center gap-1.5 text-accent underline underline-offset-2 wrap-anywhere"
    >
      <ExternalLink size={13} aria-hidden="true" className="shrink-0" />
      {address}
    </a>
  );
}
