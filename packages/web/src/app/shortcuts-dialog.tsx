import type { ReactElement, ReactNode } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { shortcutGroups } from "./shortcut-groups.ts";

const GROUPS = shortcutGroups(/mac|iphone|ipad/iu.test(navigator.userAgent) ? "⌘" : "Ctrl");

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts" size="wide" isText>
      <div className="gap-x-8 sm:columns-2 md:columns-3">
        {GROUPS.map(({ name, shortcuts }) => (
          <section key={name} aria-label={name} className="mb-5 break-inside-avoid">
            <h3 className="mb-2 text-xs font-semibold text-muted">{name}</h3>
            <dl className="flex flex-col gap-1.5">
              {shortcuts.map(({ action, keys }) => (
                <div key={action} className="flex items-center justify-between gap-3">
                  <dt className="order-2 flex shrink-0 items-center gap-1">
                    {keys.map((combination, index) => (
                      <span key={combination.join(" ")} className="flex items-center gap-1">
                        {index > 0 && <span className="text-xs text-muted">or</span>}
                        {combination.map((key) => (
                          <Kbd key={key}>{key}</Kbd>
                        ))}
                      </span>
                    ))}
                  </dt>
                  <dd>{action}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Kbd({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-sunken px-1 font-sans text-2xs text-muted">
      {children}
    </kbd>
  );
}
