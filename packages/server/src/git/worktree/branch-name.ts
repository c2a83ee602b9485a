/** All branches that Holdfast makes begin with this. */
export const BRANCH_PREFIX = "holdfast/";

const MAX_SLUG = 40;
const SHORT_ID = 8;

/** The name of a session's branch: what it is about, and the random end of its ID. It is always valid for Git. */
export function branchName({
  title,
  sessionId,
}: {
  readonly title: string;
  readonly sessionId: string;
}): string {
  const id = plain(sessionId).replaceAll("-", "").slice(-SHORT_ID);
  const slug = plain(title).slice(0, MAX_SLUG).replace(/-+$/u, "");
  return `${BRANCH_PREFIX}${slug === "" ? "session" : slug}${id === "" ? "" : `-${id}`}`;
}

/** The same name with a number, if others are taken. */
export function numberedBranch(branch: string, number: number): string {
  return number === 1 ? branch : `${branch}-${number}`;
}

/** Only lower-case letters, digits and single dashes between them. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "");
}
