import { errorText } from "@holdfast/client";
import type { Readiness, SandboxState } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { readinessQuery } from "../api/queries.ts";
import { Badge } from "../ui/badge.tsx";
import { absoluteTime } from "../ui/time.ts";
import { type Fact, Facts, Section } from "./section.tsx";
import { limitFacts } from "./limit-facts.ts";

const ENGINES = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

const SANDBOX_MODES = {
  auto: "Used where available",
  required: "Required",
  off: "Off",
} as const satisfies Record<SandboxState["mode"], string>;

const LINKS = [
  { href: "/docs", name: "HTTP API" },
  { href: "/openapi.json", name: "OpenAPI document" },
] as const;

/** The state of the server. */
export function Server(): ReactElement {
  const { data, error } = useQuery({ ...readinessQuery, refetchInterval: 10_000 });
  return (
    <Section title="This server">
      {error !== null && <p className="mb-2 text-danger">{errorText(error)}</p>}
      {data !== undefined && <Facts>{factsOf(data)}</Facts>}
      <p className="mt-3 flex flex-wrap gap-4">
        {LINKS.map(({ href, name }) => (
          <a
            key={href}
            href={href}
            className="touch-target inline-flex items-center text-accent underline underline-offset-2"
          >
            {name}
          </a>
        ))}
      </p>
    </Section>
  );
}

function factsOf(readiness: Readiness): readonly Fact[] {
  const { version, platform, startedAt, database, sessions, setAside, damage } = readiness;
  return [
    { name: "State", value: <ReadyBadge readiness={readiness} /> },
    { name: "Version", value: `Holdfast ${version}, ${platform}` },
    { name: "Started", value: absoluteTime(startedAt) },
    {
      name: "Database",
      value: `${ENGINES[database.engine]}${database.schema === null ? "" : `, schema ${database.schema}`}`,
    },
    ...(sessions === null
      ? []
      : [
          {
            name: "Sessions",
            value: `${sessions.active} active, ${sessions.suspended} paused, ${sessions.archived} archived, ${sessions.error} failed`,
          },
        ]),
    { name: "Authentication", value: <Authentication auth={readiness.auth} /> },
    { name: "Sandbox", value: <Sandbox sandbox={readiness.sandbox} /> },
    { name: "Agents", value: <AgentHost agentHost={readiness.agentHost} /> },
    ...limitFacts(readiness.limits),
    ...(damage.length === 0
      ? []
      : [
          {
            name: "Damage",
            value: `The database file is damaged (${damage[0] ?? ""}). Nothing is removed automatically. Run holdfast doctor, and see docs/backup.md.`,
          },
        ]),
    ...(setAside === null || setAside === 0
      ? []
      : [
          {
            name: "Quarantine",
            value: `${setAside} unreadable ${setAside === 1 ? "row" : "rows"}, not deleted. The server's log gives the details.`,
          },
        ]),
  ];
}

function Authentication({ auth }: Pick<Readiness, "auth">): ReactElement {
  if (auth === "token") return <Badge tone="ok">On</Badge>;
  return <Badge tone="danger">Off</Badge>;
}

function Sandbox({ sandbox }: { readonly sandbox: SandboxState }): ReactElement {
  const { active, mode, reason } = sandbox;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone={active ? "ok" : "warn"}>{active ? "Active" : "Not active"}</Badge>
      <span className="text-muted">{SANDBOX_MODES[mode]}</span>
      {reason}
    </span>
  );
}

function AgentHost({ agentHost }: Pick<Readiness, "agentHost">): ReactElement {
  const { mode, pid } = agentHost;
  if (mode === "inside") return <>They end when the server ends.</>;
  return (
    <>They go on while the server restarts{pid === null ? "" : ` (agent host: pid ${pid})`}.</>
  );
}

function ReadyBadge({ readiness }: { readonly readiness: Readiness }): ReactElement {
  if (readiness.status === "ready") return <Badge tone="ok">Ready</Badge>;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone="danger">Not ready</Badge>
      {readiness.reason}
    </span>
  );
}
