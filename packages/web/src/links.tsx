import type { ReactElement } from "react";

const LINKS = [
  { href: "/docs", name: "HTTP API", says: "every route, with examples" },
  { href: "/readyz", name: "Readiness", says: "what this page shows, as JSON" },
  { href: "/healthz", name: "Health", says: "whether the process answers" },
];

export function Links(): ReactElement {
  return (
    <nav className="panel" aria-labelledby="links">
      <h2 id="links">The server's own pages</h2>
      <ul className="links">
        {LINKS.map(({ href, name, says }) => (
          <li key={href}>
            <a href={href}>{name}</a>
            <span>{says}</span>
          </li>
        ))}
      </ul>
    </nav>
  );
}
