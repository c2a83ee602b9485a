/** The parts of a `Response` that the client reads. */
export interface ServerReply extends Pick<Response, "body" | "ok" | "status" | "url"> {
  readonly headers: Pick<Headers, "get">;
  text(): Promise<string>;
}

export interface SentRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: BodyInit | null;
  readonly signal: AbortSignal | null;
  readonly cache?: "no-store";
  readonly duplex?: "half";
}

/** Sends a request. `fetch` is one; it rejects when there is no reply. */
export type Transport = (address: URL, request: SentRequest) => Promise<ServerReply>;
