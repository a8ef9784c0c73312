import type { CliCommand } from "@ledge/host/cli/command";
import { apiPrefix } from "../version.ts";
import type { CloneSeen } from "../cloud/clone-watch.ts";
import type { HistoryStatus } from "../history/history.ts";
import type { HttpsState } from "../tls/https.ts";
import { goodUntil } from "@ledge/host/certificate";
import { ask, exitCodes } from "@ledge/host/cli/command";
import { size, span, table } from "@ledge/host/cli/print";

interface Status {
  readonly release: string;
  readonly profile: string;
  readonly folder: string;
  readonly address: string | null;
  readonly https: HttpsState;
  readonly cloud: {
    readonly url: string;
    readonly connected: boolean;
    readonly clone: CloneSeen | null;
  } | null;
  readonly name: string | null;
  readonly state: string | null;
  readonly pid: number;
  readonly uptimeMs: number;
  readonly kernel: { readonly state: string; readonly reason: string | null; readonly clockTrusted: boolean };
  readonly log: {
    readonly fileBytes: number;
    readonly usedBytes: number;
    readonly quotaBytes: number | null;
    readonly quotaExceeded: boolean;
    readonly horizon: number;
  };
  readonly history: HistoryStatus;
  readonly objects: Readonly<Record<string, number>>;
  readonly adapters: Readonly<Record<string, { readonly state: string; readonly reason: string | null }>>;
  readonly memory: number;
}

export const status: CliCommand = {
  words: "status",
  usage: "",
  summary: "How the hub fares; exit code 1 when something is wrong",
  async run(invocation) {
    const found = await ask<Status>(invocation, "GET", `${apiPrefix}/console/status`);
    invocation.print(invocation.json ? JSON.stringify(found) : describe(found));
    const adaptersRun = Object.values(found.adapters).every(
      ({ state }) => state === "running" || state === "starting",
    );
    const isWell = found.kernel.state === "serving" && !found.log.quotaExceeded;
    return isWell && adaptersRun ? exitCodes.done : exitCodes.unhealthy;
  },
};

function describe(found: Status): string[] {
  const objects = Object.entries(found.objects).map(([kind, count]) => `${count} ${kind}`);
  const adapters = Object.entries(found.adapters).map(
    ([protocol, { state, reason }]) => `${protocol} ${state}${reason === null ? "" : ` (${reason})`}`,
  );
  const rows = [
    [
      "hub",
      `${found.name ?? "-"}, ${found.state ?? "-"}, profile ${found.profile}, release ${found.release}`,
    ],
    ["address", found.address ?? "not listening"],
    ...encrypted(found.https),
    ["cloud", cloudOf(found.cloud)],
    ["up", `${span(found.uptimeMs)}, process ${found.pid}`],
    ["kernel", found.kernel.state],
    ...(found.kernel.reason === null ? [] : [["reason", found.kernel.reason]]),
    ["clock", found.kernel.clockTrusted ? "trusted" : "not trusted"],
    ["log", `${size(found.log.fileBytes)} in ${found.folder}${quota(found.log)}`],
    ["history", found.kernel.state === "rescue" ? "not readable" : history(found.log.horizon)],
    ["index", index(found.history)],
    ["objects", objects.join(", ")],
    ["adapters", adapters.join(", ") || "none running"],
    ["memory", size(found.memory)],
  ];
  return table(rows[0] as string[], rows.slice(1));
}

function encrypted({ address, fingerprint, problem, until, expiry }: HttpsState): string[][] {
  if (address !== null) {
    const certificate = until === null || expiry === "good" ? [] : [["", goodUntil({ until, expiry })]];
    return [["https", `${address}, SHA-256 ${fingerprint}`], ...certificate];
  }
  return problem === null ? [] : [["https", `not served: ${problem}`]];
}

function quota({ usedBytes, quotaBytes, quotaExceeded }: Status["log"]): string {
  if (quotaBytes === null) return "";
  const over = quotaExceeded ? ": over the quota" : "";
  return `, ${size(usedBytes)} of ${size(quotaBytes)} in use${over}`;
}

/** Describes from when on the log is complete. */
function history(horizon: number): string {
  return horizon === 0 ? "whole" : `whole since ${new Date(horizon).toISOString()}`;
}

/** Describes the history index. */
function index({ state, reason, mark, usedBytes, quotaBytes }: HistoryStatus): string {
  if (state === "off") return "none: history is read from the log";
  const why = reason === null ? "" : `: ${reason}`;
  if (state !== "ready") return `${state === "failed" ? "failed" : "not looked at since the start"}${why}`;
  const share = quotaBytes === null ? "" : ` of ${size(quotaBytes)}`;
  return `up to ${new Date(mark).toISOString()}, ${size(usedBytes)}${share}${why}`;
}

function cloudOf(cloud: Status["cloud"]): string {
  if (cloud === null) return "none";
  const clone = cloud.clone === null ? "" : `; another hub has this identity: ${cloud.clone.problem}`;
  return `${cloud.url}, ${cloud.connected ? "connected" : "not connected"}${clone}`;
}
