import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { reasonOf } from "../ui/toast.ts";
import type { Failure } from "./error-boundary.tsx";

export function FailedPage({ error, retry }: Failure): ReactElement {
  return (
    <main>
      <h1 className="sr-only">Error</h1>
      <Empty
        title="This page failed"
        action={
          <span className="flex gap-2">
            <Button onClick={retry}>Try again</Button>
            <Button onClick={() => location.reload()}>Reload</Button>
          </span>
        }
      >
        {reasonOf(error)}
      </Empty>
    </main>
  );
}

export function MissingPage(): ReactElement {
  return (
    <main>
      <h1 className="sr-only">Not found</h1>
      <Empty title="There is nothing here">
        <a href="/" className="text-accent underline">
          All sessions
        </a>
      </Empty>
    </main>
  );
}
