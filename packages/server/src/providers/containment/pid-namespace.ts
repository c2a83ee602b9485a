import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "../acp/process/find-program.ts";
import type { Command } from "../acp/process/spawn-agent.ts";
import type { Containment } from "./containment.ts";

/**
 * Starts each agent in a PID namespace: when its first process dies, the kernel kills all others, whatever they have
 * done to escape. The first process dies with the server, too. Null if this does not work here.
 */
export async function findPidNamespace(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Containment | null> {
  if (process.platform !== "linux") return null;
  const find = (name: string): string | null => findProgram(name, environment["PATH"]);
  const [unshare, setpriv, mount] = [find("unshare"), find("setpriv"), find("mount")];
  if (unshare === null || setpriv === null || mount === null) return null;
  const dropped = process.getuid?.() === 0 ? [] : NO_CAPABILITIES;
  const contain = ({ program, args, env }: Command): Command => ({
    program: unshare,
    args: [
      ...namespaces(),
      "--",
      setpriv,
      "--pdeathsig=KILL",
      "--",
      "/bin/sh",
      "-c",
      STAND_BY,
      "sh",
      "/bin/sh",
      "-c",
      MOUNT_PROC,
      "sh",
      mount,
      setpriv,
      "--pdeathsig=KILL",
      ...dropped,
      "--",
      "/bin/sh",
      "-c",
      STAND_BY,
      "sh",
      program,
      ...args,
    ],
    env,
  });
  try {
    const test = contain({ program: "/bin/sh", args: ["-c", "exit 0"], env: {} });
    const env = { PATH: environment["PATH"] };
    await promisify(execFile)(test.program, test.args, { env, cwd: "/", timeout: TEST_MS });
  } catch {
    return null;
  }
  return {
    kind: "pid-namespace",
    // The process group contains the first process; its death is the end of all.
    contain: (command) => ({ command: contain(command), killAll: () => Promise.resolve() }),
  };
}

/** Long, because without this test a slow machine would lack the protection. */
const TEST_MS = 60_000;

/** Only root may make a PID namespace without a user namespace. The user stays the same in it. */
function namespaces(): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? [] : ["--user", "--map-current-user", "--keep-caps"];
  return [...user, "--pid", "--mount", "--propagation=private"];
}

/** An agent has no rights in the user namespace that it would not have outside. */
const NO_CAPABILITIES = ["--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all"];

/**
 * Runs a command, waits for it through signals, which are meant for the agent, and ends like it. Keeps no output
 * open, so that the server notices when the agent closes its own. Outside, its child is the first process of the
 * namespace; there, its child is the agent. A shell gives a child in the background no input of its own accord.
 */
const STAND_BY = `
trap : TERM INT HUP
exec 3<&0
"$@" <&3 3<&- &
exec 3<&- >&-
while :; do
  wait $!
  code=$?
  kill -0 $! 2>/dev/null || exit $code
done`;

const MOUNT_PROC = '"$1" -t proc proc /proc || exit 125; shift; exec "$@"';
