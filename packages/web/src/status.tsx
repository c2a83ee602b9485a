import type { ReactElement } from "react";
import type { Connection } from "./use-connection.ts";

interface Wording {
  readonly tone: "good" | "waiting" | "bad";
  readonly title: string;
  readonly text: string;
}

/** The one thing to see first. Screen readers hear it again only when it changes. */
export function Status({ connection }: { readonly connection: Connection }): ReactElement {
  const { tone, title, text } = wordingOf(connection);
  return (
    <section className={`panel status ${tone}`} aria-label="Status">
      <span className="lamp" aria-hidden="true" />
      <div aria-live="polite">
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
    </section>
  );
}

function wordingOf(connection: Connection): Wording {
  switch (connection.kind) {
    case "checking":
      return { tone: "waiting", title: "Checking", text: "Asking the server how it is." };
    case "ready":
      return { tone: "good", title: "Ready", text: "The server is up and its database is open." };
    case "unready":
      return {
        tone: "waiting",
        title: "Not ready",
        text: `The server answers, but it cannot take work now. ${connection.readiness.reason ?? "Its log says why."}`,
      };
    case "refused":
      return {
        tone: "bad",
        title: "Refused",
        text: connection.reason,
      };
    case "lost":
      return {
        tone: "bad",
        title: "Connection lost",
        text: `No answer since ${connection.since.toLocaleTimeString()}; figures are as last seen. Trying again every 5 seconds.`,
      };
    default:
      return connection satisfies never;
  }
}
