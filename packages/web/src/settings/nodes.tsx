import type { Node } from "@holdfast/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { client } from "../api/client.ts";
import { nodesQuery } from "../api/queries.ts";
import { Badge } from "../ui/badge.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ActionRow, Section } from "./section.tsx";

const FRESH_MS = 5_000;

/** The servers that share a database. A server with SQLite is alone and is not listed. */
export function Nodes(): ReactElement | null {
  const { data } = useQuery({ ...nodesQuery, refetchInterval: FRESH_MS });
  const queries = useQueryClient();
  if (data === undefined || data.nodes.length < 2) return null;
  return (
    <Section
      title="Nodes"
      description="Servers on the same database. A node that drains finishes its work and takes no more."
    >
      <ul className="divide-y divide-line border-y border-line">
        {data.nodes.map((node) => (
          <ActionRow
            key={node.id}
            name={node.name}
            action={node.draining ? "Take work again" : "Drain"}
            label={node.draining ? `Let ${node.name} take work again` : `Drain ${node.name}`}
            failure="Not changed"
            onPress={async () => {
              await client.nodes.drain(node.id, { draining: !node.draining });
              await queries.invalidateQueries({ queryKey: nodesQuery.queryKey });
            }}
          >
            <NodeFacts node={node} />
          </ActionRow>
        ))}
      </ul>
    </Section>
  );
}

function NodeFacts({ node }: { readonly node: Node }): ReactElement {
  const { alive, draining, drained, self, busy, capacity, version, labels, startedAt } = node;
  return (
    <span className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
      {!alive && <Badge tone="danger">Not reachable</Badge>}
      {alive && draining && <Badge tone="warn">{drained ? "Drained" : "Draining"}</Badge>}
      {alive && !draining && <Badge tone="ok">Ready</Badge>}
      <span>
        {busy} of {capacity} agents
      </span>
      <span>Holdfast {version}</span>
      <span>
        started <RelativeTime time={startedAt} />
      </span>
      {labels.length > 0 && <span>{labels.join(", ")}</span>}
      {self && <span>answers this page</span>}
    </span>
  );
}
