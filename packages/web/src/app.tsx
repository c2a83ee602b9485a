import type { ReactElement } from "react";
import { Facts } from "./facts.tsx";
import { Links } from "./links.tsx";
import { NextSteps } from "./next-steps.tsx";
import { SessionCounts } from "./session-counts.tsx";
import { SetAside } from "./set-aside.tsx";
import { Status } from "./status.tsx";
import { readinessOf, useConnection } from "./use-connection.ts";

export function App(): ReactElement {
  const connection = useConnection();
  const readiness = readinessOf(connection);
  const sessions = readiness?.sessions ?? null;
  const setAside = readiness?.setAside ?? 0;
  return (
    <div className="page">
      <header className="masthead">
        <img src="/favicon.svg" alt="" width="44" height="44" />
        <div>
          <h1>Holdfast</h1>
          <p>Keeps conversations with coding agents alive, whatever crashes or restarts.</p>
        </div>
      </header>
      <main className={connection.kind === "lost" ? "stale" : undefined}>
        <div className="column">
          <Status connection={connection} />
          {setAside > 0 && <SetAside count={setAside} />}
          {sessions !== null && <SessionCounts counts={sessions} />}
          <NextSteps />
        </div>
        <div className="column">
          {readiness !== null && <Facts readiness={readiness} />}
          <Links />
        </div>
      </main>
    </div>
  );
}
