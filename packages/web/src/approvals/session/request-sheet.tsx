import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from "react";
import { useKeyboardInset } from "../../session/use-keep-end.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { useSmallScreen } from "../../ui/screen/use-small-screen.ts";
import { approvalOf } from "../approval.ts";
import { FetchedCard } from "../inbox/fetched-card.tsx";
import { changesIn, SlotCard } from "./slot-card.tsx";
import { useSwipe } from "../../ui/screen/use-swipe.ts";
import type { Request, Requests } from "./use-requests.tsx";

/** The page under a sheet, if it is not the session of the request. */
interface Under {
  /** The name of the session. */
  readonly title: string;
  /** The name of the page. */
  readonly back: string;
  /** Places the focus. */
  readonly onClosed: () => void;
}

/**
 * A request over the page. On a phone, changes and forms fill the screen, and the page is one press or swipe away; on
 * a larger screen it is a dialog.
 */
export function RequestSheet({
  sessionId,
  requests,
  request,
  footer,
  under,
}: {
  readonly sessionId: string;
  readonly requests: Pick<Requests, "all" | "folders" | "place" | "keys" | "review">;
  readonly request: Request;
  readonly footer?: ReactNode;
  readonly under?: Under;
}): ReactElement {
  const { all, folders, place, keys, review } = requests;
  const sheet = useRef<HTMLDivElement>(null);
  useKeyboardInset(sheet);
  const close = (): void => review(null);
  const swipe = useSwipe("down", close);
  const isDialog = !useSmallScreen();
  const { suspension, call } = request;
  useFocusedCard(sheet, suspension.id);
  const at = all.indexOf(request);
  const next = all[(at + 1) % all.length];
  const hasChanges = call !== null && changesIn(suspension, call).length > 0;
  const isLong =
    under !== undefined ||
    hasChanges ||
    !["choice", "login", "nothing"].includes(approvalOf(suspension).ask);
  const card = { suspension, folders, place, keys, footer, shape: "fill" } as const;
  return (
    <Radix.Root open onOpenChange={(isOpen) => isOpen || close()}>
      <Radix.Portal>
        {/* Radix's own overlay inserts a style, which the page's security policy forbids. */}
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-shade" />
        <Radix.Content
          ref={sheet}
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            focusCard(sheet.current);
          }}
          onCloseAutoFocus={(event) => {
            if (under === undefined) return;
            event.preventDefault();
            under.onClosed();
          }}
          className={classNames(
            "fixed z-50 flex flex-col bg-surface text-fg outline-none",
            isDialog ? DIALOG : SHEET,
            !isDialog && (isLong ? "h-dvh pt-[env(safe-area-inset-top)]" : "rounded-t-xl"),
          )}
        >
          <header
            {...swipe}
            className={classNames(
              "flex shrink-0 items-center gap-2",
              isDialog ? "px-3 pt-2 pb-1" : "px-1 py-0.5",
            )}
          >
            {!isDialog && (
              <Button tone="quiet" icon={<ChevronLeft size={16} aria-hidden />} onClick={close}>
                {under?.back ?? "Transcript"}
              </Button>
            )}
            <Radix.Title
              className={
                under === undefined ? "sr-only" : "min-w-0 flex-1 truncate text-xs text-muted"
              }
            >
              {under?.title ?? "The agent needs you"}
            </Radix.Title>
            {all.length > 1 && (
              <span className="ml-auto flex shrink-0 items-center text-xs text-muted tabular-nums">
                {at + 1} of {all.length}
                <IconButton
                  label="Next request"
                  onClick={() => review(next?.suspension.id ?? null)}
                >
                  <ChevronRight size={16} aria-hidden />
                </IconButton>
              </span>
            )}
            {isDialog && (
              <IconButton label="Close" size="small" onClick={close}>
                <X size={16} aria-hidden />
              </IconButton>
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

const SHEET = "inset-x-0 bottom-0 max-h-dvh pb-[env(safe-area-inset-bottom)]";
const DIALOG =
  "top-[12dvh] left-1/2 max-h-[76dvh] w-full max-w-2xl overflow-hidden -translate-x-1/2 rounded-xl border border-line shadow-2xl";

/** A card that takes the place of an answered one gets its focus, and so its keys. */
function useFocusedCard(sheet: RefObject<HTMLElement | null>, suspensionId: string): void {
  const before = useRef(suspensionId);
  useEffect(() => {
    if (before.current === suspensionId) return;
    before.current = suspensionId;
    const { activeElement } = document;
    const isNowhere = activeElement === document.body || activeElement === sheet.current;
    if (isNowhere) focusCard(sheet.current);
  }, [sheet, suspensionId]);
}

/** None of the answers gets the focus. */
function focusCard(sheet: HTMLElement | null): void {
  sheet?.querySelector<HTMLElement>("[data-approval]")?.focus();
}
