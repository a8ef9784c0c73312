import { monitorEventLoopDelay } from "node:perf_hooks";
import type { EventStreams, PollWaits } from "@ledge/api";
import { counter, gauge, type Metric } from "@ledge/link";
import type { Kernel } from "@ledge/kernel";
import type { AdapterStatus } from "../adapters/supervisor.ts";
import type { CloudLink } from "../cloud/cloud-link.ts";
import type { Devices } from "../devices/devices.ts";
import type { History } from "../history/history.ts";
import { release } from "../version.ts";

/** Delays of the event loop (ns) since the start of the measurement. */
export type LoopDelays = ReturnType<typeof monitorEventLoopDelay>;

const loopQuantiles = [0.5, 0.99, 1] as const;

/** Starts to measure the delays of the event loop. */
export function measureLoop(): LoopDelays {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  return delays;
}

/** The measured parts of the process. */
interface Measured {
  readonly kernel: Kernel;
  readonly devices: Devices;
  readonly loop: LoopDelays;
  readonly link: CloudLink | undefined;
  readonly history: Pick<History, "status">;
  readonly pollWaits: Pick<PollWaits, "size">;
  readonly streams: Pick<EventStreams, "size">;
}

/** Returns the metrics of the process for `/metrics`: counts and sizes, no personal data. */
export function figures(measured: Measured): Metric[] {
  const { kernel, devices, loop, link, history, pollWaits, streams } = measured;
  const { health } = kernel;
  const log = kernel.log.stats();
  const { horizon, bases, usedBytes, quotaBytes, quotaExceeded, bytesPerDay } = kernel.retention;
  const { state, mark, usedBytes: historyBytes } = history.status;
  return [
    {
      name: "ledge_release",
      help: "The release that runs.",
      type: "gauge",
      samples: [{ labels: { release }, value: 1 }],
    },
    gauge("ledge_serving", "1 while changes are taken.", Number(health.state === "serving")),
    gauge("ledge_clock_trusted", "1 while the wall clock is believed.", Number(health.clockTrusted)),
    gauge(
      "ledge_cloud_connected",
      "1 while the tunnel to the cloud is open.",
      Number(link?.connected ?? false),
    ),
    gauge("ledge_polls_held", "Polls that wait for news.", pollWaits.size),
    gauge("ledge_event_streams", "Clients that read events as they come.", streams.size),
    gauge("ledge_submissions_queued", "Submissions not answered yet.", health.queued),
    counter("ledge_commits_total", "Commits made durable since the start.", health.commits),
    counter("ledge_events_total", "Events made durable since the start.", log.events),
    counter("ledge_log_frame_bytes_total", "Bytes of commit frames written since the start.", log.frameBytes),
    gauge("ledge_log_file_bytes", "Size of the log's file.", log.fileBytes),
    gauge("ledge_log_used_bytes", "How much of the log's file is in use.", usedBytes),
    gauge("ledge_log_quota_bytes", "How much of it may be.", quotaBytes ?? Infinity),
    gauge("ledge_log_quota_exceeded", "1 while it is more.", Number(quotaExceeded)),
    gauge("ledge_log_written_bytes_per_day", "Bytes of commit frames written in a day.", bytesPerDay),
    gauge("ledge_log_horizon_seconds", "Up to when the log was pruned; 0 while it is whole.", horizon / 1000),
    gauge("ledge_log_bases", "Bases in the log.", bases),
    gauge("ledge_history_ready", "1 while the history index is read.", Number(state === "ready")),
    gauge("ledge_history_bytes", "How much of the history index's file is in use.", historyBytes),
    gauge("ledge_history_mark_seconds", "Up to when the log is indexed; 0: not known.", mark / 1000),
    gauge(
      "ledge_history_lag_seconds",
      "What the log has that is not indexed.",
      mark === 0 ? 0 : Math.max(0, kernel.timestamp - mark) / 1000,
    ),
    gauge("ledge_devices", "Devices known.", kernel.size("device")),
    gauge("ledge_resident_bytes", "Resident memory of the hub process.", process.memoryUsage.rss()),
    {
      name: "ledge_loop_delay_seconds",
      help: "How long the hub's thread kept something waiting that was due, since the start.",
      type: "gauge",
      samples: loopQuantiles.map((quantile) => ({
        labels: { quantile: String(quantile) },
        value: loop.count === 0 ? 0 : loop.percentile(quantile * 100) / 1e9,
      })),
    },
    ...adapterFigures(kernel, Object.entries(devices.statuses())),
  ];
}

function adapterFigures(
  kernel: Kernel,
  statuses: readonly (readonly [protocol: string, status: AdapterStatus])[],
): Metric[] {
  const each = (value: (protocol: string, status: AdapterStatus) => number): Metric["samples"] =>
    statuses.map(([protocol, status]) => ({ labels: { protocol }, value: value(protocol, status) }));
  return [
    {
      name: "ledge_adapter_running",
      help: "1 while the adapter runs.",
      type: "gauge",
      samples: each((_, { state }) => Number(state === "running")),
    },
    {
      name: "ledge_adapter_failures_total",
      help: "How often the adapter failed since the hub's first start.",
      type: "counter",
      samples: each((protocol) => kernel.get("adapter", protocol)?.failures ?? 0),
    },
    {
      name: "ledge_reports_total",
      help: "Reports taken from the adapter since the start.",
      type: "counter",
      samples: each((_, { reports }) => reports),
    },
    {
      name: "ledge_reports_dropped_total",
      help: "Pulses lost because a queue was full.",
      type: "counter",
      samples: each((protocol) => kernel.get("adapter", protocol)?.dropped ?? 0),
    },
  ];
}
