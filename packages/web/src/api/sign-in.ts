import { createUncheckedClient, errorText, HoldfastError } from "@holdfast/client";
import type { SignInRequest } from "@holdfast/protocol";
import { access, client } from "./client.ts";

const WRONG_TOKEN = "Wrong token";

/** Returns why it failed, or null. */
export async function signIn(request: SignInRequest): Promise<string | null> {
  try {
    const { key } = await createUncheckedClient({ url: location.origin }).signIn(request);
    access.setKey(key);
    return null;
  } catch (error) {
    const isWrong = error instanceof HoldfastError && error.status === 401 && "token" in request;
    return isWrong ? WRONG_TOKEN : errorText(error);
  }
}

export async function signOut({ everywhere }: { readonly everywhere: boolean }): Promise<void> {
  await (everywhere ? client.browsers.signOutAll() : client.signOut());
  access.setKey(null);
}

/** Signs in with the code in the address, or with the token that an earlier version of the page stored. */
export async function signInAtStart(): Promise<void> {
  const code = takeCode();
  const token = access.formerToken();
  if (code !== null) {
    const problem = await signIn({ code });
    if (problem !== null) access.fail(problem);
  } else if (token !== null) {
    const problem = await signIn({ token });
    // It is kept only while the server cannot be reached.
    if (problem === null || problem === WRONG_TOKEN) access.forgetFormerToken();
  }
}

/** Removes the code from the address and from the history. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return null;
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  return code;
}
