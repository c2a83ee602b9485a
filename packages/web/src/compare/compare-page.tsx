import { useQuery } from "@tanstack/react-query";
import { Columns3 } from "lucide-react";
import { useEffect, useState, type ReactElement, type ReactNode } from "react";
import { openOverlay } from "../app/overlay.ts";
import { usePageTitle } from "../app/page-title.ts";
import { goTo, usePlace } from "../app/router.ts";
import { HighlightProvider } from "../markdown/use-highlight.tsx";
import { Clamped } from "../tools/clamped.tsx";
import { Button } from "../ui/button.tsx";
import { Empty, NotLoaded } from "../ui/empty.tsx";
import { comparedIdsQuery, wholeSessionQuery } from "./compare-queries.ts";
import { firstWish, idsOf } from "./compare-texts.ts";
import { ComparedCard } from "./compared-card.tsx";
import { TakeDialog } from "./take-dialog.tsx";
import "../tools/tools.css";

/** Sessions side by side: `ids` names them, `of` one session of a comparison. */
export function ComparePage(): ReactElement {
  usePageTitle("Comparison");
  const place = usePlace();
  const { ids, of } = place?.page === "compare" ? (place.search ?? {}) : {};
  const shown = idsOf(ids);
  return (
    <main className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-3 py-3 md:px-4">
      <h1 className="text-base font-semibold">Comparison</h1>
      {shown.length > 0 && <Compared ids={shown} />}
      {shown.length === 0 && of !== undefined && of !== "" && <Find of={of} />}
      {shown.length === 0 && (of === undefined || of === "") && <Nothing />}
    </main>
  );
}

function Nothing(): ReactElement {
  return (
    <Empty
      icon={<Columns3 size={28} />}
      title="Nothing to compare"
      action={
        <Button tone="primary" onClick={() => openOverlay("compare")}>
          Compare agents
        </Button>
      }
    >
      Give several agents the same message, and take the work that you like best.
    </Empty>
  );
}

/** Finds the other sessions of a comparison, and puts them into the address. */
function Find({ of }: { readonly of: string }): ReactElement | null {
  const { data, error, refetch } = useQuery(comparedIdsQuery(of));
  useEffect(() => {
    if (data !== undefined)
      goTo({ page: "compare", search: { ids: data.join(",") } }, { replace: true });
  }, [data]);
  return <NotLoaded name="comparison" error={error} onRetry={() => void refetch()} />;
}

function Compared({ ids }: { readonly ids: readonly string[] }): ReactElement {
  /** The session whose work is being taken. */
  const [taking, setTaking] = useState<string | null>(null);
  return (
    <HighlightProvider>
      <Wish id={ids[0] ?? ""} />
      <Columns>
        {ids.map((id) => (
          <ComparedCard key={id} id={id} onTake={() => setTaking(id)} />
        ))}
      </Columns>
      {taking !== null && (
        <TakeDialog
          id={taking}
          others={ids.filter((id) => id !== taking)}
          onClose={() => setTaking(null)}
        />
      )}
    </HighlightProvider>
  );
}

/** As many columns as fit; one on a phone. */
function Columns({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,19rem),1fr))] items-start gap-3">
      {children}
    </div>
  );
}

const LINES = 4;

/** What the agents were asked. */
function Wish({ id }: { readonly id: string }): ReactElement | null {
  const { data } = useQuery(wholeSessionQuery(id));
  const wish = data === undefined ? null : firstWish(data.messages);
  if (wish === null) return null;
  return (
    <div className="max-w-[52rem] rounded-lg bg-sunken px-3 py-2 text-sm">
      <h2 className="sr-only">The message to all agents</h2>
      <Clamped text={wish} lines={LINES}>
        {(text) => <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>}
      </Clamped>
    </div>
  );
}
