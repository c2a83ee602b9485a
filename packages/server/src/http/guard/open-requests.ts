import type { ServerResponse } from "node:http";

/** The requests in progress, by token. A stream ends when its token is revoked or expires. */
export interface OpenRequests {
  add(tokenId: string, response: ServerResponse): void;
  stop(): void;
}

const CHECK_EVERY_MS = 2_000;

export function openRequests({
  isGood,
  checkEveryMs = CHECK_EVERY_MS,
}: {
  readonly isGood: (tokenId: string) => Promise<boolean>;
  readonly checkEveryMs?: number;
}): OpenRequests {
  const open = new Map<string, Set<ServerResponse>>();

  const check = async (): Promise<void> => {
    for (const [tokenId, responses] of open) {
      if (await isGood(tokenId)) continue;
      for (const response of responses) response.destroy();
    }
  };
  const timer = setInterval(() => {
    // A failure of the database says nothing about the token. The next check may succeed.
    check().catch(() => {});
  }, checkEveryMs).unref();

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
