import type { FastifyReply, FastifyRequest } from "fastify";
import { createHistogram, type Histogram } from "../../runtime/stats/measurements.ts";
import { methodOf } from "./head-requests.ts";

/** Counts requests by method, route and status, and measures how long they took by method and route. */
export interface RequestMetrics {
  /** Called when a request arrives. It is counted when its connection is done with it, also if the client disconnected. */
  observe(request: FastifyRequest, reply: FastifyReply): void;
  read(): RequestFigures;
}

export interface RequestFigures {
  readonly counts: readonly { readonly labels: RequestLabels; readonly value: number }[];
  readonly durations: readonly {
    readonly labels: Pick<RequestLabels, "method" | "route">;
    readonly histogram: Histogram;
  }[];
}

type RequestLabels = Readonly<Record<"method" | "route" | "status", string>>;

interface Series {
  readonly method: string;
  readonly route: string;
  /** By status. */
  readonly counts: Map<string, number>;
  /** Null for event streams, whose duration is the client's choice. */
  readonly duration: ReturnType<typeof createHistogram> | null;
}

/** Clients choose methods and paths, so that every value of a label comes from a list of ours. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const OTHER = "other";
/** The client disconnected before there was a reply; nginx uses the same number. */
const NO_REPLY = "499";
const STREAM = "text/event-stream";

export function createRequestMetrics(): RequestMetrics {
  const seriesByKey = new Map<string, Series>();
  const seriesOf = ({ raw, routeOptions }: FastifyRequest): Series => {
    const sent = methodOf(raw) ?? OTHER;
    const method = METHODS.has(sent) ? sent : OTHER;
    const route = routeOptions.url ?? OTHER;
    const key = `${method} ${route}`;
    const existing = seriesByKey.get(key);
    if (existing !== undefined) return existing;
    const isStream = method === "GET" && routeOptions.schema?.produces?.includes(STREAM) === true;
    const duration = isStream ? null : createHistogram();
    const series = { method, route, counts: new Map<string, number>(), duration };
    seriesByKey.set(key, series);
    return series;
  };
  return {
    observe(request, { raw }) {
      const startedAt = performance.now();
      raw.once("close", () => {
        const { counts, duration } = seriesOf(request);
        const status = raw.headersSent ? String(raw.statusCode) : NO_REPLY;
        counts.set(status, (counts.get(status) ?? 0) + 1);
        duration?.add(performance.now() - startedAt);
      });
    },
    read() {
      const series = [...seriesByKey.values()];
      return {
        counts: series.flatMap(({ method, route, counts }) =>
          [...counts].map(([status, value]) => ({ labels: { method, route, status }, value })),
        ),
        durations: series.flatMap(({ method, route, duration }) =>
          duration === null ? [] : [{ labels: { method, route }, histogram: duration.read() }],
        ),
      };
    },
  };
}
