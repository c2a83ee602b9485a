/** The variables by which programs find a proxy. */
export function proxyVariables(url: string): Readonly<Record<string, string>> {
  const names = ["http_proxy", "https_proxy", "all_proxy"];
  return {
    ...Object.fromEntries(
      names.flatMap((name) => [name, name.toUpperCase()]).map((name) => [name, url]),
    ),
    no_proxy: NOT_FOR,
    NO_PROXY: NOT_FOR,
    // Node uses a proxy only on request.
    NODE_USE_ENV_PROXY: "1",
  };
}

const NOT_FOR = "localhost,127.0.0.1,::1";
