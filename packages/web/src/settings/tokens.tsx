import { errorText } from "@holdfast/client";
import type { CreatedToken, Token, TokenScope } from "@holdfast/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState, type FormEvent, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { tokensQuery } from "../api/queries.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Field, focusOnMount, Input, Problem, Select } from "../ui/field.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { copyText } from "../ui/toast.ts";
import { ActionRow, Section } from "./section.tsx";

const SCOPES: readonly { readonly scope: TokenScope; readonly name: string }[] = [
  { scope: "read", name: "Read: see everything" },
  { scope: "send", name: "Send: also create sessions and send messages" },
  { scope: "approve", name: "Approve: also answer, choose modes, change budgets and merge" },
  { scope: "admin", name: "Admin: also delete, manage repositories and tokens" },
];

/** API tokens: who can use the server, and for what. */
export function Tokens(): ReactElement {
  const { data: tokens = [], error } = useQuery(tokensQuery);
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<CreatedToken | null>(null);
  return (
    <Section
      title="API tokens"
      description="For programs and other people. The server’s own token is not listed."
    >
      {error !== null && <p className="text-danger">{errorText(error)}</p>}
      {made !== null && <NewToken made={made} onDone={() => setMade(null)} />}
      {tokens.length > 0 && (
        <ul className="mb-3 divide-y divide-line border-y border-line">
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </ul>
      )}
      {isAdding ? (
        <CreateToken
          onMade={(token) => {
            setMade(token);
            setAdding(false);
          }}
          onCancel={() => setAdding(false)}
        />
      ) : (
        <Button onClick={() => setAdding(true)}>Create a token</Button>
      )}
    </Section>
  );
}

function TokenRow({ token }: { readonly token: Token }): ReactElement {
  const { id, name, scope, sessionId, createdAt, lastUsedAt, expiresAt } = token;
  const queries = useQueryClient();
  return (
    <ActionRow
      name={name}
      action="Revoke"
      label={`Revoke ${name}`}
      failure="Not revoked"
      onPress={async () => {
        await client.tokens.revoke(id);
        await queries.invalidateQueries({ queryKey: tokensQuery.queryKey });
      }}
    >
      <span className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
        <Badge tone="plain">{sessionId === null ? scope : `one session: ${scope}`}</Badge>
        <span>
          Created <RelativeTime time={createdAt} />
        </span>
        <span>
          {lastUsedAt === null ? (
            "never used"
          ) : (
            <>
              used <RelativeTime time={lastUsedAt} />
            </>
          )}
        </span>
        <span>
          {expiresAt === null ? (
            "never expires"
          ) : (
            <>
              expires <RelativeTime time={expiresAt} />
            </>
          )}
        </span>
      </span>
    </ActionRow>
  );
}

function CreateToken({
  onMade,
  onCancel,
}: {
  readonly onMade: (token: CreatedToken) => void;
  readonly onCancel: () => void;
}): ReactElement {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<TokenScope>("read");
  const [days, setDays] = useState("90");
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      client.tokens.create({
        name: name.trim(),
        scope,
        ...(days !== "" && { expiresInDays: Number(days) }),
      }),
    onSuccess: (token) => {
      onMade(token);
      return queries.invalidateQueries({ queryKey: tokensQuery.queryKey });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <Problem text={error === null ? null : errorText(error)} />
      <Field label="Name" hint="What it is for, such as the name of a program.">
        {(ids) => (
          <Input
            {...ids}
            ref={focusOnMount}
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Scope">
        {(ids) => (
          <Select
            {...ids}
            value={scope}
            onChange={(event) =>
              setScope(SCOPES.find((each) => each.scope === event.target.value)?.scope ?? "read")
            }
          >
            {SCOPES.map((each) => (
              <option key={each.scope} value={each.scope}>
                {each.name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Expires">
        {(ids) => (
          <Select {...ids} value={days} onChange={(event) => setDays(event.target.value)}>
            <option value="7">In 7 days</option>
            <option value="90">In 90 days</option>
            <option value="365">In a year</option>
            <option value="">Never</option>
          </Select>
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" tone="primary" busy={isPending} disabled={name.trim() === ""}>
          Create
        </Button>
      </div>
    </form>
  );
}

function NewToken({
  made,
  onDone,
}: {
  readonly made: CreatedToken;
  readonly onDone: () => void;
}): ReactElement {
  return (
    <div className="mb-3 flex flex-col gap-2 rounded-lg border border-accent p-3">
      <Field label={`The token “${made.name}”`} hint="Copy it now: it is not shown again.">
        {(ids) => (
          <Input
            {...ids}
            readOnly
            className="font-mono"
            value={made.token}
            ref={focusOnMount}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Done</Button>
        <Button
          tone="primary"
          icon={<Copy size={15} aria-hidden="true" />}
          onClick={() => void copyText(made.token, "Token copied")}
        >
          Copy
        </Button>
      </div>
    </div>
  );
}
