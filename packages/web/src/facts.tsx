import type { ReactElement, ReactNode } from "react";
import type { Readiness } from "./readiness.ts";

const ENGINES: Readonly<Record<string, string>> = { sqlite: "SQLite", postgres: "PostgreSQL" };

export function Facts({ readiness }: { readonly readiness: Readiness }): ReactElement {
  const { version, engine, schema, startedAt } = readiness;
  return (
    <section className="panel" aria-labelledby="facts">
      <h2 id="facts">This server</h2>
      <dl className="facts">
        <Fact name="Version">{version}</Fact>
        <Fact name="Database">{engine && (ENGINES[engine] ?? engine)}</Fact>
        <Fact name="Schema">{schema}</Fact>
        <Fact name="Started">
          {startedAt && (
            <time dateTime={startedAt.toISOString()}>
              {startedAt.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
            </time>
          )}
        </Fact>
      </dl>
    </section>
  );
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? <span className="unknown">unknown</span>}</dd>
    </div>
  );
}
