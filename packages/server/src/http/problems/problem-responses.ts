import { problemSchema, sessionSchema, type ProblemCode } from "@holdfast/protocol";
import { PROBLEM_STATUS } from "./problem-status.ts";

export interface ProblemResponse {
  readonly description: string;
  readonly content: {
    readonly "application/problem+json": { readonly schema: () => typeof problemSchema };
  };
}

const ALWAYS = [
  "invalid_request",
  "forbidden",
  "too_many_attempts",
  "unauthorized",
  "host_not_allowed",
  "origin_not_allowed",
  "database_busy",
  "database_corrupt",
  "database_error",
  "database_io",
  "database_unavailable",
  "internal_error",
  "row_unreadable",
  "store_closed",
] as const satisfies readonly ProblemCode[];

const WRITING = [
  "payload_too_large",
  "unsupported_media_type",
  "constraint_broken",
  "database_readonly",
  "disk_full",
  "server_stopping",
  "writes_overflow",
] as const satisfies readonly ProblemCode[];

/** The problems of a route that only reads, for its description. */
export function readProblems(...codes: readonly ProblemCode[]): Record<number, ProblemResponse> {
  return toResponses([...ALWAYS, ...codes]);
}

/** The problems of a route that changes data. */
export function writeProblems(...codes: readonly ProblemCode[]): Record<number, ProblemResponse> {
  return toResponses([...ALWAYS, ...WRITING, ...codes]);
}

/** The responses of a route that changes a session and replies with it. */
export function changedSession(...codes: readonly ProblemCode[]) {
  return {
    200: () => sessionSchema,
    ...writeProblems("session_not_found", "version_mismatch", ...codes),
  };
}

function toResponses(codes: readonly ProblemCode[]): Record<number, ProblemResponse> {
  const byStatus = Map.groupBy(new Set(codes), (code) => PROBLEM_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.toSorted().join(", "),
        content: { "application/problem+json": { schema: () => problemSchema } },
      },
    ]),
  );
}
