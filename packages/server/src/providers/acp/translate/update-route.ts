import { looseObject } from "../wire/loose.ts";

/**
 * Decides which `session/update`s are ours: agents send some before they have told the session, and of other sessions.
 * Until it is told otherwise none is: what comes while a session is taken up again is its history, which is known.
 */
export interface UpdateRoute {
  take(params: unknown): void;
  /** A session of a name not known yet is being made: keeps what comes until it has one. */
  expect(): void;
  /** From now on this session's; what was kept of it comes first, what was kept of others is dropped. */
  follow(sessionId: string): void;
}

export interface UpdateRouteOptions {
  readonly onUpdate: (update: unknown) => void;
  /** An update that is not reported, with its own `update` when it is of no other session. */
  readonly onIgnored: (update: unknown) => void;
}

export function createUpdateRoute({ onUpdate, onIgnored }: UpdateRouteOptions): UpdateRoute {
  let route: Route = { to: "nobody" };
  return {
    take: (params) => {
      const { sessionId, update } = looseObject(params) ?? {};
      switch (route.to) {
        case "nobody":
          return onIgnored(update);
        case "kept":
          if (route.kept.length < MAX_KEPT) route.kept.push({ sessionId, update });
          return onIgnored(undefined);
        case "session":
          return sessionId === route.sessionId ? onUpdate(update) : onIgnored(undefined);
        default:
          return route satisfies never;
      }
    },
    expect: () => {
      route = { to: "kept", kept: [] };
    },
    follow: (sessionId) => {
      const kept = route.to === "kept" ? route.kept : [];
      route = { to: "session", sessionId };
      for (const early of kept) if (early.sessionId === sessionId) onUpdate(early.update);
    },
  };
}

type Route =
  | { readonly to: "nobody" }
  | { readonly to: "kept"; readonly kept: { sessionId: unknown; update: unknown }[] }
  | { readonly to: "session"; readonly sessionId: string };

const MAX_KEPT = 1000;
