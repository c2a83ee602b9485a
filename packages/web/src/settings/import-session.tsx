import { useMutation } from "@tanstack/react-query";
import { errorText } from "@holdfast/client";
import { Upload } from "lucide-react";
import { useRef, useState, type DragEvent, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { goTo } from "../app/router.ts";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { Problem } from "../ui/field.tsx";
import { Section } from "./section.tsx";

/** Takes a session that was exported here or on another server. */
export function ImportSession(): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (file: File) => client.sessions.import(file),
    onSuccess: ({ id }) => goTo({ page: "session", id }),
  });
  const take = (files: FileList | null): void => {
    const file = files?.item(0) ?? null;
    if (file !== null) mutate(file);
  };
  const over = (event: DragEvent, isInside: boolean): void => {
    event.preventDefault();
    setOver(isInside);
  };
  return (
    <Section
      title="Import a session"
      description="A bundle that “Export” saved, here or on another server."
    >
      <div
        onDragOver={(event) => over(event, true)}
        onDragLeave={(event) => over(event, false)}
        onDrop={(event) => {
          over(event, false);
          take(event.dataTransfer.files);
        }}
        className={classNames(
          "flex flex-wrap items-center gap-3 rounded-lg border border-dashed p-3",
          isOver ? "border-accent bg-accent-soft" : "border-line-strong",
        )}
      >
        <Button
          busy={isPending}
          icon={<Upload size={15} aria-hidden="true" />}
          onClick={() => input.current?.click()}
        >
          Choose a file
        </Button>
        <span className="text-muted">or drop it here</span>
        <input
          ref={input}
          type="file"
          accept=".jsonl,application/jsonl,application/x-ndjson"
          aria-label="Bundle of a session"
          tabIndex={-1}
          className="hidden"
          onChange={(event) => {
            take(event.target.files);
            // The same file can be chosen again.
            event.target.value = "";
          }}
        />
      </div>
      <div className="mt-2 empty:hidden">
        <Problem text={error === null ? null : errorText(error)} />
      </div>
    </Section>
  );
}
