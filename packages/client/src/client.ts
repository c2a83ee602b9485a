import {
  healthSchema,
  problemSchema,
  readinessSchema,
  type Health,
  type ProblemCode,
  type Readiness,
} from "@holdfast/protocol";

export interface ClientOptions {
  /** Where the server is, such as `http://127.0.0.1:4664`. */
  readonly url: string;
  readonly token?: string;
  readonly fetch?: typeof fetch;
}

/** A Holdfast server, typed. Uses nothing but `fetch`: it runs in Node and in browsers. */
export interface Client {
  /** Whether the process is alive. */
  health(options?: { signal?: AbortSignal }): Promise<Health>;
  /** Whether requests would be served, and if not, why. */
  readiness(options?: { signal?: AbortSignal }): Promise<Readiness>;
}

/** The server said no, with a code to branch on. */
export class HoldfastError extends Error {
  readonly code: ProblemCode | "unexpected_reply";
  readonly status: number;

  constructor(
    code: HoldfastError["code"],
    { status, message }: { status: number; message: string },
  ) {
    super(message);
    this.name = "HoldfastError";
    this.code = code;
    this.status = status;
  }
}

export function createClient({ url, token, fetch: send = fetch }: ClientOptions): Client {
  const get = async (path: string, signal: AbortSignal | undefined): Promise<Reply> => {
    const response = await send(new URL(path, url), {
      headers: {
        accept: "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(signal !== undefined && { signal }),
    });
    return { status: response.status, body: parseBody(await response.text()) };
  };

  return {
    async health({ signal } = {}) {
      const reply = await get("/healthz", signal);
      const health = healthSchema.safeParse(reply.body);
      if (!health.success) throw toError(reply);
      return health.data;
    },
    async readiness({ signal } = {}) {
      const reply = await get("/readyz", signal);
      const readiness = readinessSchema.safeParse(reply.body);
      if (!readiness.success) throw toError(reply);
      return readiness.data;
    },
  };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toError({ status, body }: Reply): HoldfastError {
  const problem = problemSchema.safeParse(body);
  if (problem.success)
    return new HoldfastError(problem.data.code, { status, message: problem.data.detail });
  return new HoldfastError("unexpected_reply", {
    status,
    message: `The server answered ${status} with something else.`,
  });
}
