export { Authentication, type Authority } from "./auth.ts";
export { EventStreams, type StreamBounds } from "./event-streams.ts";
export { nowForExpiry } from "./expiry.ts";
export { type Metric, RequestFigures, type Sample } from "./metrics.ts";
export { type ApiEnv, type ApiOptions, createApi } from "./mount.ts";
export type {
  ApiLog,
  Asking,
  HubMeta,
  HubPorts,
  Listener,
  Machine,
  MachineAct,
  Presence,
  Probed,
  RequestOutcome,
  ProcessLog,
} from "./ports.ts";
export { rows } from "./routes/index.ts";
export { Refused } from "./refused.ts";
export { type Row, row, rowName } from "./row.ts";
export { unavailableRows } from "./unavailable.ts";
