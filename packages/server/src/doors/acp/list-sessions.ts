import type { ListSessionsResponse } from "@agentclientprotocol/sdk/unstable";
import { defined, type Client } from "@holdfast/client";
import type { Repository } from "@holdfast/protocol";

const PAGE = 50;

/** A page of the sessions, the last active first. Sessions without a repository have no folder and are left out. */
export async function listSessions(
  client: Client,
  { repo, cursor }: { readonly repo: Repository | null; readonly cursor: string | null },
): Promise<ListSessionsResponse> {
  const [{ repos }, page] = await Promise.all([
    repo === null ? client.repos.list() : { repos: [repo] },
    client.sessions.list({
      order: "turn",
      limit: PAGE,
      ...defined({ repoId: repo?.id, cursor: cursor ?? undefined }),
    }),
  ]);
  const paths = new Map(repos.map(({ id, path }) => [id, path]));
  const sessions = page.sessions.flatMap((session) => {
    const cwd = session.repoId === null ? undefined : paths.get(session.repoId);
    if (cwd === undefined) return [];
    const { id, title, lastActiveAt, directories } = session;
    return [
      {
        sessionId: id,
        cwd,
        title,
        updatedAt: lastActiveAt,
        ...(directories.length > 0 && { additionalDirectories: directories }),
      },
    ];
  });
  return { sessions, ...(page.nextCursor !== null && { nextCursor: page.nextCursor }) };
}
