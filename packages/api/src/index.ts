export type { Audit, AuditEntry, AuditQuestion } from "./routes/audit.ts";
export { Authentication, type Authority } from "./auth.ts";
export { EventStreams, type StreamBounds } from "./event-streams.ts";
export { nowForExpiry } from "./expiry.ts";
export { type ApiEnv, type ApiOptions, createApi } from "./mount.ts";
export type {
  ApiLog,
  Asking,
  ClaimPolicy,
  HubMeta,
  HubPorts,
  Listener,
  Machine,
  MachineAct,
  PortedStick,
  Presence,
  Probed,
  RequestOutcome,
  ProcessLog,
  ProposeRules,
  RemoteCalls,
  Sticks,
  StickWanted,
} from "./ports.ts";
export {
  answerPast,
  type Asker,
  type AskingPast,
  type PastHistory,
  type PastReader,
  type PastRow,
  type PastTask,
  type PastTasks,
  type PastWhy,
  told,
} from "./past.ts";
export type { DryRun, RuleLog } from "./routes/custom-rules.ts";
export { startingHealth } from "./health.ts";
export { rows } from "./routes/index.ts";
export { invalid, Refused, refusedBy } from "./refused.ts";
export { type Row, row, rowName } from "./row.ts";
export type { UndoFound, UndoQuestion } from "./undoing.ts";
export { unavailableRows } from "./unavailable.ts";
