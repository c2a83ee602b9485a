export {
  healthSchema,
  readinessSchema,
  sessionCountsSchema,
  type Health,
  type Readiness,
  type SessionCounts,
} from "./health.ts";
export {
  PROBLEM_CODES,
  problemCodeSchema,
  problemSchema,
  type Problem,
  type ProblemCode,
} from "./problem.ts";
