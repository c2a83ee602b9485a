import type { Readiness } from "@holdfast/protocol";
import type { ReactElement, ReactNode } from "react";

const ENGINES = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

export function Facts({ readiness }: { readonly readiness: Readiness }): ReactElement {
  const { version, database } = readiness;
  const startedAt = new Date(readiness.startedAt);
  return (
    <section className="panel" aria-labelledby="facts">
      <h2 id="facts">This server</h2>
      <dl className="facts">
        <Fact name="Version">{version}</Fact>
        <Fact name="Database">{ENGINES[database.engine]}</Fact>
        <Fact name="Schema">{database.schema}</Fact>
        <Fact name="Started">
          <time dateTime={readiness.startedAt}>
            {startedAt.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
          </time>
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
