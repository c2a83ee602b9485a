import type { AgentReport, ReportPlace } from "../../providers/provider.ts";
import type { LiveQuestions } from "../run/live-questions.ts";
import type { TranscriptWriter } from "../run/transcript-writer.ts";

/** An earlier server has stored the report. It is not stored again, but later reports build on it. */
export function repeatReport(
  report: AgentReport,
  place: ReportPlace,
  {
    writer,
    questions,
  }: {
    readonly writer: Pick<TranscriptWriter, "put">;
    readonly questions: Pick<LiveQuestions, "recall" | "forget">;
  },
): Promise<void> | undefined {
  switch (report.report) {
    case "tool":
    case "output":
    case "text":
    case "message":
    case "plan":
      return writer.put(report, place);
    case "permission":
    case "elicitation":
      questions.recall(report);
      return undefined;
    case "withdrawn":
      questions.forget(report.requestId);
      return undefined;
    default:
      return undefined;
  }
}
