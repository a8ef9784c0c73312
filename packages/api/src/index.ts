export { askFirst, noteAsked } from "./adapter-answers.ts";
export type { Audit, AuditEntry } from "./routes/audit.ts";
export { Authentication, type Authority } from "./auth.ts";
export { EventStreams, type StreamBounds } from "./event-streams.ts";
export { letterCode, type RandomBytes, typedCode } from "./login-code.ts";
export { Logins } from "./logins.ts";
export { PollWaits } from "./poll-waits.ts";
export { nowForExpiry } from "./expiry.ts";
export type { ApiEnv } from "./call.ts";
export { type ApiOptions, createApi } from "./mount.ts";
export type { Listener } from "./listener.ts";
export type {
  ApiLog,
  Asking,
  ClaimPolicy,
  HubMeta,
  HubPorts,
  LocalKeys,
  Machine,
  MachineAct,
  ModbusTcp,
  ModbusTcpStatus,
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
export { noModbusTcp } from "./modbus-tcp-commands.ts";
export type { BackupFile, Backups, HubUpdates } from "./ports.ts";
export type { Timeline, TimelineCount, TimelineEntry } from "./routes/timeline.ts";
export { answerPast, told } from "./past.ts";
export type {
  Asker,
  AskingPast,
  AuditQuestion,
  PastHistory,
  PastReader,
  PastRow,
  PastSums,
  PastTask,
  PastTasks,
  PastWhy,
  TimelineQuestion,
  UndoQuestion,
} from "./past-questions.ts";
export type { DryRun } from "./dry-run.ts";
export type { SummedHistory, SummedPoint } from "./routes/device-history.ts";
export type { RuleLog } from "./routes/custom-rules.ts";
export { startingHealth } from "./health.ts";
export { rows } from "./routes/index.ts";
export type { ZigbeeImport } from "./routes/zigbee-import.ts";
export { invalid, Refused, refusedBy } from "./refused.ts";
export { type Row, row, rowName } from "./row.ts";
export type { UndoFound } from "./undoing.ts";
export { unavailableRows } from "./unavailable.ts";
export { HubUpdate } from "./hub-update.ts";
export { noUpdates } from "./no-updates.ts";
