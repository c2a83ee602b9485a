import type { ReactElement } from "react";
import type { Breakdown } from "./breakdowns.ts";
import { TableBehind } from "./data-table.tsx";
import { Panel } from "./panel.tsx";

export function Bars({ breakdown }: { readonly breakdown: Breakdown }): ReactElement {
  const { title, says, bars, columns, rows, otherwise } = breakdown;
  return (
    <Panel title={title} says={bars.length === 0 ? otherwise : says}>
      {bars.length > 0 && (
        <ul className="flex flex-col gap-2.5">
          {bars.map(({ name, share, text }, index) => (
            <li key={`${index} ${name}`} className="flex flex-col gap-1 text-xs">
              <span className="flex items-baseline justify-between gap-3">
                <span className="min-w-0 wrap-anywhere">{name}</span>
                <span className="shrink-0 text-muted tabular-nums">{text}</span>
              </span>
              <span aria-hidden="true" className="h-2 overflow-hidden rounded-sm bg-sunken">
                <span
                  className="block h-full min-w-px rounded-sm bg-accent"
                  style={{ width: `${share * 100}%` }}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      {rows.length > 0 && <TableBehind caption={title} columns={columns} rows={rows} />}
    </Panel>
  );
}
