import type { ReactElement } from "react";

export function NextSteps(): ReactElement {
  return (
    <section className="panel" aria-labelledby="next">
      <h2 id="next">What to do next</h2>
      <ul className="steps">
        <li>
          Run a session over the <a href="/docs">HTTP API</a>; the README has three commands to try.
          Here you will see sessions next.
        </li>
        <li>
          Everything is kept in the data folder: <code>~/.local/share/holdfast</code>, or the one
          you chose with <code>--data</code>.
        </li>
        <li>
          Stop the server with <kbd>Ctrl</kbd>+<kbd>C</kbd> in its terminal. Nothing stored is lost.
        </li>
      </ul>
    </section>
  );
}
