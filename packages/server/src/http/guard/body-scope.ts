import type { Problem, UpdateSessionRequest } from "@holdfast/protocol";
import type { FastifyRequest } from "fastify";
import { PERMISSIONS_KEY } from "../../domain/policy/parse-policy.ts";
import type { Scope } from "../../domain/scope.ts";
import { BUDGET_KEY } from "../../runtime/budget.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { toProblem } from "../problems/problem-status.ts";
import { hasScope } from "./caller.ts";

type Asked<Body> = Pick<FastifyRequest, "caller"> & { readonly body: Body };

interface Settings {
  readonly mode?: string | null | undefined;
  readonly options?: object | undefined;
}

type Connected = Pick<UpdateSessionRequest, "mcpServers" | "directories">;
type WithMetadata = Pick<UpdateSessionRequest, "metadata">;

/** A field of a body that needs more than the scope of the route, and whether the body has it. */
type Field = readonly [name: string, needed: Scope, isGiven: boolean];

/** A budget only limits a new session, so it needs no more than the route. */
export function aboutNewSession(
  request: Asked<Settings & Connected & WithMetadata>,
): Problem | null {
  const { body } = request;
  return aboutFields(request, [
    ...settingsIn(body),
    [`metadata.${PERMISSIONS_KEY}`, "approve", (body.metadata?.[PERMISSIONS_KEY] ?? null) !== null],
    ...connectionsIn(body),
  ]);
}

/** Even null changes a session: it removes the mode, the rules or the budget. */
export function aboutChanges(request: Asked<Settings & Connected & WithMetadata>): Problem | null {
  const { body } = request;
  const { metadata = {} } = body;
  return aboutFields(request, [
    ...settingsIn(body),
    ["mode", "approve", body.mode !== undefined],
    ...[PERMISSIONS_KEY, BUDGET_KEY].map((key): Field => [
      `metadata.${key}`,
      "approve",
      Object.hasOwn(metadata, key),
    ]),
    ...connectionsIn(body),
  ]);
}

export function aboutMessage(request: Asked<Settings>): Problem | null {
  return aboutFields(request, settingsIn(request.body));
}

/** A message that chose a mode or options was allowed to do so with its own text. */
export async function aboutQueuedText(
  request: Pick<FastifyRequest, "caller"> & {
    readonly params: { readonly id: string; readonly messageId: string };
  },
  runtime: Pick<Runtime, "readQueue">,
): Promise<Problem | null> {
  if (hasScope(request, "approve")) return null;
  const { id, messageId } = request.params;
  const read = await runtime.readQueue(id);
  const queue = read.ok ? read.queue : [];
  if (queue.find((message) => message.messageId === messageId)?.settings === undefined) return null;
  return toProblem(
    "forbidden",
    "Changing the text of a message that chose a mode or options needs a token with the scope approve.",
  );
}

/** Rewinding may overwrite the work of others, if the body says so. */
export function aboutRewind(request: Asked<{ readonly force: boolean }>): Problem | null {
  return aboutFields(request, [["force", "approve", request.body.force]]);
}

/** They decide what an agent may do without asking. */
function settingsIn({ mode = null, options = {} }: Settings): readonly Field[] {
  return [
    ["mode", "approve", mode !== null],
    ["options", "approve", Object.keys(options).length > 0],
  ];
}

/** Agents start MCP servers without a question, and a directory may hold anything, so both are for administrators. */
function connectionsIn({ mcpServers = {}, directories = [] }: Connected): readonly Field[] {
  return [
    ["mcpServers", "admin", Object.keys(mcpServers).length > 0],
    ["directories", "admin", directories.length > 0],
  ];
}

function aboutFields(
  request: Pick<FastifyRequest, "caller">,
  fields: readonly Field[],
): Problem | null {
  const refused = fields.find(([, needed, isGiven]) => isGiven && !hasScope(request, needed));
  if (refused === undefined) return null;
  const [name, needed] = refused;
  return toProblem("forbidden", `The field ${name} needs a token with the scope ${needed}.`);
}
