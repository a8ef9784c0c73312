import { goodUntil } from "@ledge/host/certificate";
import type { CertificateState } from "../http/certificate.ts";
import { ask, type CliCommand, exitCodes } from "@ledge/host/cli/command";
import { size, span, table } from "@ledge/host/cli/print";

interface Status {
  readonly release: string;
  readonly issuer: string;
  readonly folder: string;
  readonly address: string | null;
  readonly certificate: CertificateState | null;
  readonly pid: number;
  readonly uptimeMs: number;
  readonly kernel: { readonly state: string; readonly reason: string | null };
  readonly log: { readonly fileBytes: number; readonly quotaExceeded: boolean };
  readonly objects: Readonly<Record<string, number>>;
  readonly tunnels: number | null;
  readonly memory: number;
}

export const status: CliCommand = {
  words: "status",
  usage: "",
  summary: "Shows the state of the cloud; exit code 1 when something is wrong",
  async run(invocation) {
    const found = await ask<Status>(invocation, "GET", "/console/status");
    invocation.print(invocation.json ? JSON.stringify(found) : describe(found));
    const isWell = found.kernel.state === "serving" && !found.log.quotaExceeded;
    return isWell && isGood(found.certificate) ? exitCodes.done : exitCodes.unhealthy;
  },
};

/** A cloud without a certificate of its own counts as healthy: a proxy in front of it has one. */
function isGood(certificate: CertificateState | null): boolean {
  return certificate === null || certificate.expiry === "good";
}

function describe(found: Status): string[] {
  const objects = Object.entries(found.objects).map(([kind, count]) => `${count} ${kind}`);
  const { state, reason } = found.kernel;
  const full = found.log.quotaExceeded ? ", over its quota" : "";
  return table(
    ["cloud", `${found.issuer}, release ${found.release}`],
    [
      ["address", found.address ?? "not listening"],
      ...(found.certificate === null ? [] : [["certificate", goodUntil(found.certificate)]]),
      ["up", `${span(found.uptimeMs)}, process ${found.pid}`],
      ["kernel", reason === null ? state : `${state}: ${reason}`],
      ["log", `${size(found.log.fileBytes)} in ${found.folder}${full}`],
      ["objects", objects.join(", ")],
      ["tunnels", found.tunnels === null ? "-" : `${found.tunnels} open`],
      ["memory", size(found.memory)],
    ],
  );
}
