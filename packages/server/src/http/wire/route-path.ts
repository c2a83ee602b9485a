/** Without the query, which may hold what nobody wants in a log. */
export function pathOf(url: string): string {
  return url.split(/[?#]/u, 1)[0] ?? "";
}

/** Whether a path is one of a route's, such as `/api/sessions/:id`. */
export function matchesRoute(pattern: string, path: string): boolean {
  const parts = path.split("/");
  const wanted = pattern.split("/");
  return (
    parts.length === wanted.length &&
    wanted.every(
      (want, index) => want === parts[index] || (want.startsWith(":") && parts[index] !== ""),
    )
  );
}
