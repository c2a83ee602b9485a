import type { Rolldown } from "vite";

/** The file of the framework that creates servers. It loads two modules of Node that only servers with TLS or HTTP/2 use. */
const FILE = /fastify.lib.server\.js$/u;
const MODULES = ["https", "http2"];

/** Loads them when they are used: a start of the program does not need 5 ms for them. */
export const LATE_MODULES: Rolldown.Plugin = {
  name: "late-modules",
  transform: (code, id) => (FILE.test(id) ? withLateModules(code) : null),
};

export function withLateModules(code: string): string {
  return MODULES.reduce((changed, name) => {
    const load = `require('node:${name}')`;
    const statement = `const ${name} = ${load}\n`;
    if (!code.includes(statement)) throw new Error(`the framework no longer loads ${name} early`);
    return changed.replace(statement, "").replaceAll(`${name}.create`, `${load}.create`);
  }, code);
}
