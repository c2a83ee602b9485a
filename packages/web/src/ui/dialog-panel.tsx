import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { useRef, type ReactElement, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  /** `screen` fills it, for content that is long on a phone. */
  readonly size?: keyof typeof SHAPES;
  /** For dialogs that need no visible title, such as the palette. */
  readonly hideTitle?: boolean;
  /** The content is only text, which scrolls with the keyboard. */
  readonly isText?: boolean;
  /** The buttons, the confirming one last. */
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
}

/** A sheet at the bottom of a phone, in the middle of a larger screen. */
const SHEET =
  "max-h-[85dvh] inset-x-0 bottom-0 rounded-t-xl " +
  "sm:inset-x-auto sm:bottom-auto sm:left-1/2 sm:top-[12dvh] sm:-translate-x-1/2 sm:rounded-xl sm:border sm:border-line sm:pb-0";

const SHAPES = {
  small: `${SHEET} sm:max-w-sm`,
  normal: `${SHEET} sm:max-w-lg`,
  wide: `${SHEET} sm:max-w-3xl`,
  screen: "inset-0 h-dvh pt-[env(safe-area-inset-top)]",
} as const;

export function DialogPanel({
  onClose,
  title,
  description,
  size = "normal",
  hideTitle = false,
  isText = false,
  footer,
  children,
}: DialogProps): ReactElement {
  const panel = useRef<HTMLDivElement>(null);
  return (
    <Radix.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Radix.Portal>
        {/* Radix's own overlay inserts a style, which the page's security policy forbids. */}
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-shade" />
        <Radix.Content
          ref={panel}
          onOpenAutoFocus={(event) => {
            const target = panel.current?.querySelector<HTMLElement>("[data-autofocus]");
            if (target === null || target === undefined) return;
            event.preventDefault();
            target.focus();
          }}
          {...(description === undefined && { "aria-describedby": undefined })}
          className={classNames(
            "fixed z-50 flex w-full flex-col overflow-hidden bg-surface text-fg shadow-2xl outline-none",
            "pb-[env(safe-area-inset-bottom)]",
            SHAPES[size],
          )}
        >
          <header className={hideTitle ? "sr-only" : "flex items-start gap-3 px-5 pt-4 pb-4"}>
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-0.5 text-muted">{description}</Radix.Description>
              )}
            </div>
            {!hideTitle && (
              <Radix.Close asChild>
                <IconButton
                  label="Close"
                  size="small"
                  className="-mt-1 -mr-1.5 shrink-0 pointer-coarse:-mt-3"
                >
                  <X size={16} aria-hidden="true" />
                </IconButton>
              </Radix.Close>
            )}
          </header>
          {children !== undefined && (
            <div
              {...(isText && { tabIndex: 0, role: "group", "aria-label": title })}
              className={classNames("min-h-0 overflow-y-auto", !hideTitle && "px-5 pb-5")}
            >
              {children}
            </div>
          )}
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
              {footer}
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
