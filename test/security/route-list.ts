import type { App } from "../../packages/server/src/http/app.ts";

export interface Route {
  readonly method: string;
  readonly url: string;
}

/** All routes of the app, read from its router, including the page's files and undocumented routes. */
export function routesOf(app: App): readonly Route[] {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const match = /^(?<indent>[│├└─\s]*)(?<part>\S+)(?: \((?<methods>[^)]*)\))?$/u.exec(line);
      const { indent = "", part, methods = "" } = match?.groups ?? {};
      if (part === undefined) return [];
      const depth = indent.length / 4 - 1;
      const url = `${parents[depth - 1] ?? ""}${part}`;
      parents.splice(depth, Infinity, url);
      return methods.split(", ").flatMap((method) => (method === "" ? [] : { method, url }));
    });
}

export const nameOf = ({ method, url }: Route): string => `${method} ${url}`;
