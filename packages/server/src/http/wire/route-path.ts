/** Without the query, which may contain secrets. */
export function pathOf(url: string): string {
  return url.split(/[?#]/u, 1)[0] ?? "";
}

/** Whether a path matches the pattern of a route, such as `/api/sessions/:id`. */
export function matchesRoute(pattern: string, path: string): boolean {
  const parts = path.split("/");
  const names = pattern.split("/");
  return (
    parts.length === names.length &&
    names.every(
      (name, index) => name === parts[index] || (name.startsWith(":") && parts[index] !== ""),
    )
  );
}
