import { ExternalLink } from "lucide-react";
import type { ReactElement } from "react";
import { WRAPPED } from "../approvals/subject-view.tsx";
import { visibleText } from "../approvals/visible-text.ts";
import { Decisions } from "./form-answer.tsx";
import { pageOf } from "./page-of.ts";

/** A page that the agent asks a person to open. Only a click opens it. */
export function UrlAnswer({
  url,
  inert,
  busy,
  onAnswer,
}: {
  readonly url: string;
  readonly inert: boolean;
  readonly busy: boolean;
  readonly onAnswer: (answer: unknown) => void;
}): ReactElement {
  const page = pageOf(url);
  return (
    <div className="flex min-h-0 flex-col gap-3">
      <div className="flex min-h-0 flex-col gap-2 overflow-y-auto">
        {page === null ? (
          <p className="text-danger">
            This address is not a web page, so it cannot be opened here.
          </p>
        ) : (
          <p>
            The agent asks you to open a page of <strong className={WRAPPED}>{page.host}</strong>
            {page.isEncrypted ? "" : " over a connection that is not encrypted"}
          </p>
        )}
        <p className={`rounded-md bg-sunken px-3 py-2 font-mono text-[13px] ${WRAPPED}`}>
          {visibleText(url)}
        </p>
        {page !== null && (
          <a
            href={page.href}
            target="_blank"
            rel="noreferrer"
            onClick={(event) => {
              if (inert) event.preventDefault();
            }}
            className="touch-target inline-flex h-9 items-center gap-1.5 self-start rounded-md border border-line-strong/60 px-3 text-sm font-medium hover:bg-hover"
          >
            <ExternalLink size={14} aria-hidden="true" />
            Open the page
          </a>
        )}
      </div>
      <Decisions accept="I opened it" {...{ inert, busy, onAnswer }} />
    </div>
  );
}
