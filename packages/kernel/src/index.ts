export type { Allowance } from "./allowance.ts";
export * from "./clock.ts";
export { EvolveError, type EventPlace } from "./decide.ts";
export * from "./health.ts";
export * from "./kernel.ts";
export * from "./open-kernel.ts";
export { type Layer, Published } from "./layer.ts";
export type { CategoryRow } from "./projection.ts";
export type { RetentionOptions, RetentionStatus } from "./retention/retention.ts";
export { baseFormat, Past, type PastParts, snapshotRowsOf } from "./retention/past.ts";
export { replay } from "./replay.ts";
export { Simulation, type SimulationParts } from "./simulation.ts";
export { snapshotFormat } from "./snapshot.ts";
export {
  type CommandResult,
  KernelError,
  type KernelErrorCode,
  isReadOnly,
  type Outcome,
  type Submission,
} from "./submission.ts";
export * from "./viewer.ts";
