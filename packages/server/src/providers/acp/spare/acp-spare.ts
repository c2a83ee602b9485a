import { fstatSync, statSync, type Stats } from "node:fs";
import { openJournal } from "../../journal.ts";
import type { OnReport, SpareAgent, StartAgent, Workspace } from "../../provider.ts";
import type { LoginStatus } from "../../login.ts";
import {
  abandon,
  connectLater,
  launch,
  stop,
  type LaunchedAgent,
  type OpenOptions,
} from "../launch-agent.ts";
import type { OpenSession } from "../open-session.ts";
import { initialize } from "../open-session.ts";
import { createLateJournal, type LateJournal } from "./late-journal.ts";

/** An agent that has been started and initialized, and has no session yet. */
export class AcpSpare implements SpareAgent {
  readonly folder: string;
  readonly exited: Promise<unknown>;
  readonly #options: OpenOptions;
  readonly #identity: string;
  readonly #launched: LaunchedAgent;
  readonly #journal: LateJournal;
  readonly #capabilities: NonNullable<OpenSession["initialized"]>;
  readonly #reports: { to: OnReport };

  private constructor(parts: SpareParts) {
    const { options, workspace, launched } = parts;
    this.#options = options;
    this.#launched = launched;
    this.#journal = parts.journal;
    this.#capabilities = parts.capabilities;
    this.#reports = parts.reports;
    this.folder = workspace.path;
    this.#identity = identityOf(workspace);
    this.exited = launched.link.process.exited;
  }

  /** Null if a process cannot be started without its session: a sandbox contains what belongs to the session. */
  static async start(
    options: OpenOptions,
    { workspace, signal }: Pick<StartAgent, "workspace" | "signal">,
    onLoginStatus: (status: LoginStatus) => void,
  ): Promise<AcpSpare | null> {
    if (options.sandbox?.state.active === true) return null;
    const reports: { to: OnReport } = { to: () => undefined };
    const onReport: OnReport = (report, place) => reports.to(report, place);
    const request = { sessionId: NO_SESSION, workspace, model: null, resume: null };
    const journal = createLateJournal();
    const launched = await launch(
      { ...options, toolsFor: async () => [] },
      { ...request, onReport, signal },
      { onLoginStatus, journal },
    );
    try {
      const capabilities = await initialize(launched.context);
      return new AcpSpare({ options, workspace, launched, journal, capabilities, reports });
    } catch (error) {
      throw await abandon(launched, error, signal);
    }
  }

  get isGone(): boolean {
    return this.#launched.link.process.isGone;
  }

  /** Whether a process that started now would be the same. */
  fits({ workspace }: Pick<StartAgent, "workspace">): boolean {
    return !this.isGone && identityOf(workspace) === this.#identity;
  }

  /** The spare is the agent of the session now. */
  take(request: StartAgent): LaunchedAgent {
    const { journalFolder: folder, clock = Date.now, secrets } = this.#options;
    const { redactor } = secrets;
    const { sessionId } = request;
    this.#journal.begin(
      folder === null ? null : openJournal({ folder, sessionId, redactor, clock }),
    );
    this.#reports.to = request.onReport;
    request.onProcess?.(this.#launched.link.process);
    const { connections, notices } = connectLater(this.#options, request, this.#launched);
    const initialized = this.#capabilities;
    const context = { ...this.#launched.context, request, connections, initialized };
    return { ...this.#launched, context, notices };
  }

  stop(): Promise<void> {
    return stop(this.#launched);
  }
}

interface SpareParts {
  readonly options: OpenOptions;
  readonly workspace: Workspace;
  readonly launched: LaunchedAgent;
  readonly journal: LateJournal;
  readonly capabilities: NonNullable<OpenSession["initialized"]>;
  readonly reports: { to: OnReport };
}

/** No session has this ID, so that a later server ends a spare agent that it finds. */
const NO_SESSION = "";

/** The path can lead to another folder later. */
function identityOf({ path, descriptor }: Workspace): string {
  const { dev, ino }: Stats = descriptor === null ? statSync(path) : fstatSync(descriptor);
  return `${dev} ${ino} ${path}`;
}
