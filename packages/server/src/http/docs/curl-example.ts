import type { Operation, Schema } from "./description.ts";
import { schemaName } from "./schema-html.ts";

export interface Caller {
  readonly url: string;
  readonly hasToken: boolean;
}

/** A command to try the operation. IDs are shell variables. */
export function curlExample(
  { method, path, operation }: { method: string; path: string; operation: Operation },
  { url, hasToken }: Caller,
): string {
  const responses = Object.values(operation.responses).flatMap(({ content = {} }) =>
    Object.keys(content),
  );
  const [bodyType, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const isJson = bodyType === "application/json";
  const parts = [
    [
      "curl",
      ...(responses.includes("text/event-stream") ? ["-N"] : []),
      ...(path.endsWith("/export") ? ["-OJ"] : []),
      ...(method === "get" || (method === "post" && body !== undefined)
        ? []
        : [`-X ${method.toUpperCase()}`]),
      `"${url}${path.replaceAll(/\{(\w+)\}/gu, (_match, name: string) => `$${toVariable(name)}`)}"`,
    ].join(" "),
    ...(hasToken ? [`-H "Authorization: Bearer $HOLDFAST_TOKEN"`] : []),
    ...(bodyType === undefined ? [] : [`-H "Content-Type: ${bodyType}"`]),
    ...(body === undefined
      ? []
      : [
          isJson
            ? `-d '${JSON.stringify(exampleOf(body.schema))}'`
            : `--data-binary @session.jsonl`,
        ]),
  ];
  return parts.join(" \\\n  ");
}

function toVariable(name: string): string {
  return name.replaceAll(/([A-Z])/gu, "_$1").toUpperCase();
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  CreateSessionRequest: { repoId: "…", message: "Why does the build fail?" },
  SendMessageRequest: { text: "Why does the build fail?" },
  PromptRequest: { text: "Why does the build fail?" },
  UpdateSessionRequest: { title: "The build", metadata: { ticket: 42 } },
  EditQueuedRequest: { text: "Why does the test fail?" },
  ResumeRequest: { suspensionId: "…", answer: "allow_once" },
  CancelRequest: { reason: "wrong branch" },
  FinalizeRequest: { outcome: "completed", summary: "The build is green." },
  FailRequest: { reason: "its data is unusable" },
  ForkRequest: {},
  SignInRequest: { code: "…" },
  AddRepositoryRequest: { path: "/home/me/project" },
};

function exampleOf({ $ref = "" }: Schema): unknown {
  return EXAMPLES[schemaName($ref).replace(/Input$/u, "")] ?? {};
}
