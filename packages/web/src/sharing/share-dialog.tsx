import { errorText } from "@holdfast/client";
import type { Session, Token } from "@holdfast/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Copy, Link2 } from "lucide-react";
import { useState, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { tokensQuery } from "../api/queries.ts";
import { sessionName } from "../api/session-name.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Input, Problem, Select } from "../ui/field.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { copyText, showFailure } from "../ui/toast.ts";
import { sharedHref } from "./shared-link.ts";

const DURATIONS = [
  { days: 1, name: "1 day" },
  { days: 7, name: "7 days" },
  { days: 30, name: "30 days" },
] as const;

/** Makes links with which others can read a session, and revokes them. */
export function ShareDialog({
  session,
  onClose,
}: {
  readonly session: Session;
  readonly onClose: () => void;
}): ReactElement {
  const [days, setDays] = useState("7");
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      client.tokens.create({
        name: `Link to ${sessionName(session)}`.slice(0, 100),
        scope: "read",
        sessionId: session.id,
        expiresInDays: Number(days),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  const { data: made, error } = create;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Share this session"
      description="Anybody with the link can read its messages, commands and changed files, also those to come. They cannot send, answer or see other sessions."
    >
      <div className="flex flex-col gap-4">
        <Problem text={error === null ? null : errorText(error)} />
        {made === undefined ? (
          <div className="flex items-end gap-2">
            <div className="flex-1">
              <Field label="The link works for">
                {(ids) => (
                  <Select {...ids} value={days} onChange={(event) => setDays(event.target.value)}>
                    {DURATIONS.map((each) => (
                      <option key={each.days} value={each.days}>
                        {each.name}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
            </div>
            <Button
              tone="primary"
              busy={create.isPending}
              icon={<Link2 size={15} aria-hidden="true" />}
              onClick={() => create.mutate()}
            >
              Create link
            </Button>
          </div>
        ) : (
          <NewLink sessionId={session.id} token={made.token} />
        )}
        <Links sessionId={session.id} />
      </div>
    </Dialog>
  );
}

function NewLink({
  sessionId,
  token,
}: {
  readonly sessionId: string;
  readonly token: string;
}): ReactElement {
  const href = `${location.origin}${sharedHref({ sessionId, token, messageId: null })}`;
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <Field label="Link" hint="It is shown only now.">
          {(ids) => (
            <Input
              {...ids}
              readOnly
              value={href}
              ref={(input) => input?.select()}
              onFocus={(event) => event.target.select()}
            />
          )}
        </Field>
      </div>
      <Button
        tone="primary"
        className="mb-5"
        icon={<Copy size={15} aria-hidden="true" />}
        onClick={() => void copyText(href, "Link copied")}
      >
        Copy
      </Button>
    </div>
  );
}

/** The links that work. */
function Links({ sessionId }: { readonly sessionId: string }): ReactElement | null {
  const { data: tokens = [] } = useQuery(tokensQuery);
  const links = tokens.filter((token) => token.sessionId === sessionId && token.scope === "read");
  if (links.length === 0) return null;
  return (
    <section aria-labelledby="links-title">
      <h3 id="links-title" className="text-sm font-medium">
        Links that work
      </h3>
      <ul className="divide-y divide-line">
        {links.map((token) => (
          <LinkRow key={token.id} token={token} />
        ))}
      </ul>
    </section>
  );
}

function LinkRow({ token }: { readonly token: Token }): ReactElement {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => client.tokens.revoke(token.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: tokensQuery.queryKey }),
    onError: (error) => showFailure("Not revoked", error),
  });
  return (
    <li className="flex items-center gap-3 py-1.5">
      <span className="flex-1 text-xs text-muted">
        Created <RelativeTime time={token.createdAt} />
        {token.expiresAt !== null && (
          <>
            , expires <RelativeTime time={token.expiresAt} />
          </>
        )}
        {token.lastUsedAt === null ? ", not used yet" : ", used"}
      </span>
      <Button size="small" busy={revoke.isPending} onClick={() => revoke.mutate()}>
        Revoke
      </Button>
    </li>
  );
}
