import { ChevronRight } from "lucide-react";
import type { ReactElement } from "react";
import { Field, TextArea } from "../ui/field.tsx";
import type { Draft } from "./new-session.ts";

type Connections = Pick<Draft, "mcpServers" | "directories">;

interface ConnectionProps extends Connections {
  readonly onChange: (changes: Partial<Connections>) => void;
}

/** MCP servers and further directories, folded, because few sessions need them. */
export function ConnectionFields(props: ConnectionProps): ReactElement {
  return (
    <details className="group">
      <summary className="touch-target flex cursor-pointer list-none items-center gap-1 text-sm font-medium">
        <ChevronRight
          size={16}
          aria-hidden="true"
          className="transition-transform group-open:rotate-90"
        />
        MCP servers and directories
      </summary>
      <div className="mt-3 flex flex-col gap-4">
        <ConnectionInputs {...props} />
      </div>
    </details>
  );
}

export function ConnectionInputs({
  mcpServers,
  directories,
  rows = 4,
  onChange,
}: ConnectionProps & { readonly rows?: number }): ReactElement {
  return (
    <>
      <Field
        label="MCP servers"
        hint="JSON by name. It is stored: name secrets with envFrom or headersFrom."
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={rows}
            spellCheck={false}
            className="font-mono"
            placeholder={'{"docs": {"type": "http", "url": "https://…"}}'}
            value={mcpServers}
            onChange={(event) => onChange({ mcpServers: event.target.value })}
          />
        )}
      </Field>
      <Field label="Directories" hint="Further folders in which agents may work, one per line.">
        {(ids) => (
          <TextArea
            {...ids}
            rows={2}
            spellCheck={false}
            className="font-mono"
            value={directories}
            onChange={(event) => onChange({ directories: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
