import { createServer } from "node:http";
import type { Packed } from "./packed.ts";

export interface LocalRegistry {
  readonly url: string;
  /** Names that were requested and are not here. */
  readonly missing: readonly string[];
  close(): Promise<void>;
}

/** A registry that has only these packages, on loopback. */
export async function openLocalRegistry(packages: readonly Packed[]): Promise<LocalRegistry> {
  const missing: string[] = [];
  const server = createServer((request, response) => {
    const [, name = "", tarball] =
      /^\/(.+?)(\/-\/.*)?$/u.exec(
        decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname),
      ) ?? [];
    const found = packages.find((each) => each.name === name);
    if (found === undefined) {
      missing.push(name);
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":"not found"}');
    } else if (tarball === undefined) {
      const document = JSON.stringify(describe(found, `http://${request.headers.host}`));
      response.writeHead(200, { "content-type": "application/json" }).end(document);
    } else {
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(found.data);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("unreachable: a TCP server");
  return {
    url: `http://127.0.0.1:${address.port}`,
    missing,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function describe({ name, version, manifest, integrity, shasum }: Packed, url: string): object {
  const dist = { tarball: `${url}/${name}/-/package-${version}.tgz`, integrity, shasum };
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { ...manifest, dist } },
  };
}
