import type { ServerResponse } from "node:http";

/** Requests under way, by the token they were let in with: a stream does not outlive its token. */
export interface OpenRequests {
  add(tokenId: string, response: ServerResponse): void;
  stop(): void;
}

const LOOK_EVERY_MS = 2_000;

export function openRequests({
  isGood,
  lookEveryMs = LOOK_EVERY_MS,
}: {
  readonly isGood: (tokenId: string) => Promise<boolean>;
  readonly lookEveryMs?: number;
}): OpenRequests {
  const open = new Map<string, Set<ServerResponse>>();

  const look = async (): Promise<void> => {
    for (const [tokenId, responses] of open) {
      if (await isGood(tokenId)) continue;
      for (const response of responses) response.destroy();
    }
  };
  const timer = setInterval(() => {
    // A database that fails says nothing of the token; the next look may tell.
    look().catch(() => {});
  }, lookEveryMs).unref();

  return {
    add: (tokenId, response) => {
      const responses = open.get(tokenId) ?? new Set();
      open.set(tokenId, responses.add(response));
      response.once("close", () => {
        responses.delete(response);
        if (responses.size === 0) open.delete(tokenId);
      });
    },
    stop: () => clearInterval(timer),
  };
}
