import { useState, type ReactElement } from "react";
import { classNames } from "../ui/class-names.ts";

interface DataTableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  /** The first cell is the row's name. */
  readonly rows: readonly (readonly string[])[];
}

/** The data table of a chart, rendered when it is opened. */
export function TableBehind(props: DataTableProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit rounded py-1 text-xs text-muted hover:text-fg pointer-coarse:py-3.5">
        Show as table<span className="sr-only">: {props.caption}</span>
      </summary>
      {isOpen && <DataTable {...props} />}
    </details>
  );
}

/** Tables with more columns stack their cells on narrow screens. */
const FITS_ON_PHONES = 6;

function DataTable({ caption, columns, rows }: DataTableProps): ReactElement {
  const isWide = columns.length > FITS_ON_PHONES;
  return (
    <table className="mt-1 w-full text-xs tabular-nums">
      <caption className="pb-1 text-left text-muted">{caption}</caption>
      <thead className={classNames(isWide && "max-lg:sr-only")}>
        <tr className="border-b border-line">
          {columns.map((column, index) => (
            <th
              key={column}
              scope="col"
              className={classNames(
                "px-1 py-1 font-medium",
                index === 0 ? "text-left" : "text-right",
              )}
            >
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name = "", ...cells], index) => (
          <tr
            key={`${index} ${name}`}
            className={classNames(
              "border-b border-line",
              isWide && "max-lg:grid max-lg:grid-cols-2 max-lg:gap-x-4 max-lg:py-1.5",
            )}
          >
            <th
              scope="row"
              className={classNames(
                "px-1 py-1 text-left font-normal wrap-anywhere",
                isWide && "max-lg:col-span-2 max-lg:font-medium",
              )}
            >
              {name}
            </th>
            {cells.map((cell, place) => (
              <td
                key={columns[place + 1]}
                className={classNames(
                  "px-1 py-1 text-right",
                  isWide && "max-lg:flex max-lg:justify-between max-lg:gap-2 max-lg:py-0.5",
                )}
              >
                {isWide && (
                  <span aria-hidden="true" className="text-muted lg:hidden">
                    {columns[place + 1]}
                  </span>
                )}
                <span className="min-w-0 wrap-anywhere">{cell}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
