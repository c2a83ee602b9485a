import { ChevronLeft, ChevronRight } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactElement, type ReactNode, useRef } from "react";
import { useKeyboardInset } from "../../session/use-keep-end.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { approvalOf } from "../approval.ts";
import { FetchedCard } from "../inbox/fetched-card.tsx";
import { changesIn, SlotCard } from "./slot-card.tsx";
import { useSwipe } from "../../ui/screen/use-swipe.ts";
import type { Request, Requests } from "./use-requests.tsx";

/** A request on a phone. Changes and forms fill the screen; the transcript is one press or swipe away. */
export function RequestSheet({
  sessionId,
  requests,
  request,
  footer,
}: {
  readonly sessionId: string;
  readonly requests: Requests;
  readonly request: Request;
  readonly footer: ReactNode;
}): ReactElement {
  const { all, folders, place, keys, review } = requests;
  const sheet = useRef<HTMLDivElement>(null);
  useKeyboardInset(sheet);
  const toTranscript = (): void => review(null);
  const swipe = useSwipe("down", toTranscript);
  const { suspension, call } = request;
  const at = all.indexOf(request);
  const next = all[(at + 1) % all.length];
  const hasChanges = call !== null && changesIn(suspension, call).length > 0;
  const isLong = hasChanges || !["choice", "login", "nothing"].includes(approvalOf(suspension).ask);
  const card = { suspension, folders, place, keys, footer, shape: "fill" } as const;
  return (
    <Radix.Root open onOpenChange={(isOpen) => isOpen || toTranscript()}>
      <Radix.Portal>
        {/* Radix's own overlay inserts a style, which the page's security policy forbids. */}
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-shade" />
        <Radix.Content
          ref={sheet}
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // None of the answers gets the focus.
            event.preventDefault();
            sheet.current?.querySelector<HTMLElement>("[data-approval]")?.focus();
          }}
          className={classNames(
            "fixed inset-x-0 bottom-0 z-50 flex max-h-dvh flex-col bg-surface text-fg outline-none",
            "pb-[env(safe-area-inset-bottom)]",
            isLong ? "h-dvh pt-[env(safe-area-inset-top)]" : "rounded-t-xl",
          )}
        >
          <Radix.Title className="sr-only">The agent needs you</Radix.Title>
          <header {...swipe} className="flex shrink-0 items-center gap-2 px-1 py-0.5">
            <Button
              tone="quiet"
              icon={<ChevronLeft size={16} aria-hidden />}
              onClick={toTranscript}
            >
              Transcript
            </Button>
            {all.length > 1 && (
              <span className="ml-auto flex items-center text-xs text-muted tabular-nums">
                {at + 1} of {all.length}
                <IconButton
                  label="Next request"
                  onClick={() => review(next?.suspension.id ?? null)}
                >
                  <ChevronRight size={16} aria-hidden />
                </IconButton>
              </span>
            )}
          </header>
          {call === null ? (
            <FetchedCard key={suspension.id} {...card} sessionId={sessionId} />
          ) : (
            <SlotCard key={suspension.id} {...card} call={call} />
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
