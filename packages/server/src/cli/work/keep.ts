import { defined } from "../../domain/defined.ts";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import { openPrinter } from "../terminal/printer.ts";

const SHORT = 12;

/** Commits everything that the session changed. */
export async function commitWork(
  id: string,
  flags: CommonFlags & { readonly message?: string },
): Promise<void> {
  const { message } = flags;
  const done = await withGateway(flags, "change", ({ sessions }) =>
    sessions.commit(id, defined({ message })),
  );
  const count = done.files === 1 ? "1 file" : `${done.files} files`;
  openPrinter(flags).result(done, `Committed ${count} as ${done.commit.slice(0, SHORT)}.`);
}

/** Merges the branch of the session. */
export async function mergeWork(
  id: string,
  flags: CommonFlags & { readonly into?: string },
): Promise<void> {
  const { into } = flags;
  const done = await withGateway(flags, "change", ({ sessions }) =>
    sessions.merge(id, defined({ into })),
  );
  const text =
    done.how === "nothing"
      ? `${done.into} has all commits already.`
      : `Merged into ${done.into}, which is at ${done.commit.slice(0, SHORT)} now.`;
  openPrinter(flags).result(done, text);
}

/** Makes the commits of the session anew after those of another branch. */
export async function rebaseWork(
  id: string,
  flags: CommonFlags & { readonly onto?: string },
): Promise<void> {
  const { onto } = flags;
  const done = await withGateway(flags, "change", ({ sessions }) =>
    sessions.rebase(id, defined({ onto })),
  );
  const count = done.replayed === 1 ? "1 commit" : `${done.replayed} commits`;
  openPrinter(flags).result(done, `Rebased ${count} onto ${done.onto}.`);
}

export async function pushWork(id: string, flags: CommonFlags): Promise<void> {
  const done = await withGateway(flags, "change", ({ sessions }) => sessions.push(id));
  openPrinter(flags).result(done, `Pushed ${done.branch} at ${done.commit.slice(0, SHORT)}.`);
}

/** Prints the address of the pull request. */
export async function openPullRequest(
  id: string,
  flags: CommonFlags & { readonly title?: string; readonly body?: string },
): Promise<void> {
  const { title, body } = flags;
  const done = await withGateway(flags, "change", ({ sessions }) =>
    sessions.pullRequest(id, defined({ title, body })),
  );
  openPrinter(flags).result(done, done.url);
}
