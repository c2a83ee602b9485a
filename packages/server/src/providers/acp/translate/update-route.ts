import { looseObject } from "../wire/loose.ts";

/**
 * Decides which `session/update`s belong to our session. Agents send some before they reply with the session's ID, and
 * some for other sessions. At first all are ignored: updates while a session is resumed repeat its history.
 */
export interface UpdateRoute {
  take(params: unknown): void;
  /** A new session is being created: collects updates until its ID is known. */
  expect(): void;
  /** Delivers the collected and all later updates of this session, and later ones of its sub-agents. */
  follow(sessionId: string): void;
}

export interface UpdateRouteOptions {
  /** `sessionId`: null for our session. */
  readonly onUpdate: (update: unknown, sessionId: string | null) => void;
  /** Called with the `update` if no session is known yet, and with undefined otherwise. */
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
        case "buffer":
          if (route.early.length < MAX_EARLY) route.early.push({ sessionId, update });
          return onIgnored(undefined);
        case "session":
          if (sessionId === route.sessionId) return onUpdate(update, null);
          return typeof sessionId === "string" ? onUpdate(update, sessionId) : onIgnored(undefined);
        default:
          return route satisfies never;
      }
    },
    expect: () => {
      route = { to: "buffer", early: [] };
    },
    follow: (sessionId) => {
      const early = route.to === "buffer" ? route.early : [];
      route = { to: "session", sessionId };
      for (const params of early) if (params.sessionId === sessionId) onUpdate(params.update, null);
    },
  };
}

type Route =
  | { readonly to: "nobody" }
  | { readonly to: "buffer"; readonly early: { sessionId: unknown; update: unknown }[] }
  | { readonly to: "session"; readonly sessionId: string };

const MAX_EARLY = 1000;
