import { Suspense, useEffect, useRef, type ReactElement } from "react";
import { ErrorBoundary } from "./error-boundary.tsx";
import { FailedPage, MissingPage } from "./failed-page.tsx";
import { Page } from "./pages.tsx";
import type { Place } from "./place.ts";
import { useShownPlace } from "./router.ts";

/** The page of the address. A new page takes the focus, as a document that was loaded would. */
export function PageOutlet(): ReactElement {
  const place = useShownPlace();
  const outlet = useRef<HTMLDivElement>(null);
  const key = place === null ? "nowhere" : keyOf(place);
  const shown = useRef(key);
  useEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    const { current } = outlet;
    // What lies over the page keeps it.
    if (document.querySelector('[role="dialog"]') !== null) return;
    if (current?.contains(document.activeElement) === false) current.focus({ preventScroll: true });
  }, [key]);
  return (
    <div
      id="page"
      ref={outlet}
      tabIndex={-1}
      className="flex min-h-0 min-w-0 flex-1 flex-col outline-none"
    >
      {/* By key: what failed on one page does not keep the next one away. */}
      <ErrorBoundary key={key} fallback={(failure) => <FailedPage {...failure} />}>
        <Suspense fallback={null}>
          {place === null ? <MissingPage /> : <Page place={place} />}
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}

function keyOf(place: Place): string {
  return place.page === "session" ? `session ${place.id}` : place.page;
}
