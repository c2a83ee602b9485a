import { createUncheckedClient, HoldfastError, errorText } from "@holdfast/client";
import { useState, type FormEvent, type ReactElement } from "react";
import { access } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { Field, focusOnMount, Input } from "../ui/field.tsx";

/** Asks for the token when the server requires one. */
export function TokenPage(): ReactElement {
  const [token, setToken] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(
    access.current().token === null ? null : "The stored token is no longer valid.",
  );

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(await problemWith(token.trim()));
    setBusy(false);
  };

  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-5 p-6">
      <div className="flex items-center gap-3">
        <img src="/favicon.svg" alt="" width="36" height="36" />
        <h1 className="text-xl font-semibold">Holdfast</h1>
      </div>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <Field
          label="Access token"
          hint="The token the server was started with (HOLDFAST_TOKEN). It is stored in this browser."
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

/** Stores the token only when the server accepts it. */
async function problemWith(token: string): Promise<string | null> {
  try {
    await createUncheckedClient({ url: location.origin, token }).providers();
  } catch (error) {
    const isWrong = error instanceof HoldfastError && error.status === 401;
    return isWrong ? "Wrong token" : errorText(error);
  }
  access.setToken(token);
  return null;
}
