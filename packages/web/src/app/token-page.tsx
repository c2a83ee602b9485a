import { useState, type FormEvent, type ReactElement } from "react";
import { access } from "../api/client.ts";
import { signIn } from "../api/sign-in.ts";
import { useStore } from "../api/store.ts";
import { Button } from "../ui/button.tsx";
import { Field, focusOnMount, Input } from "../ui/field.tsx";

/** Shown while the browser is not signed in. */
export function TokenPage(): ReactElement {
  const { problem } = useStore(access);
  const [token, setToken] = useState("");
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const failure = await signIn({ token: token.trim() });
    if (failure !== null) access.fail(failure);
    setBusy(false);
  };

  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-5 p-6">
      <div className="flex items-center gap-3">
        <img src="/favicon.svg" alt="" width="36" height="36" />
        <h1 className="text-xl font-semibold">Sign in to Holdfast</h1>
      </div>
      <p className="text-muted">
        Run <code>holdfast open</code> on the server’s machine, or open the address that the server
        printed when it started.
      </p>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <Field
          label="Access token"
          hint="Or enter a token: the contents of the file token in the server’s data folder, HOLDFAST_TOKEN, or an API token."
          error={problem}
        >
          {(ids) => (
            <Input
              {...ids}
              type="password"
              name="token"
              autoComplete="current-password"
              ref={focusOnMount}
              required
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" tone="primary" busy={isBusy} disabled={token.trim() === ""}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
