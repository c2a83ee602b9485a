import type { ReactElement } from "react";

export function SetAside({ count }: { readonly count: number }): ReactElement {
  return (
    <section className="panel warning" aria-labelledby="set-aside">
      <h2 id="set-aside">
        {count.toLocaleString()} {count === 1 ? "row" : "rows"} set aside
      </h2>
      <p>
        Stored data that could not be read was moved out of the way, not deleted. The server's log
        says which rows, and why.
      </p>
    </section>
  );
}
