import type { ComponentProps, MouseEvent, ReactElement } from "react";
import { hrefOf, type Place } from "./place.ts";
import { goTo, preload } from "./router.ts";

/** A link within the app. Pointing at it preloads the code of its page. */
export function Link({
  to,
  children,
  ...rest
}: Omit<ComponentProps<"a">, "href" | "onClick"> & { readonly to: Place }): ReactElement {
  const follow = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a
      {...rest}
      href={hrefOf(to)}
      onClick={follow}
      onPointerEnter={() => preload(to)}
      onFocus={() => preload(to)}
    >
      {children}
    </a>
  );
}

/** Clicks with modifiers open tabs or windows and are left to the browser. */
function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
