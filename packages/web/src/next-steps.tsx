import type { ReactElement } from "react";

export function NextSteps(): ReactElement {
  return (
    <section className="panel" aria-labelledby="next">
      <h2 id="next">What to do next</h2>
      <ul className="steps">
        <li>
          See what the <a href="/openapi.json">HTTP API</a> offers today. Sessions that run agents
          come to this page next.
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
