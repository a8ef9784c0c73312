import { request } from "node:http";
import type { Probed } from "@ledge/api";
import { limits } from "@ledge/model";

/** Errors of node:net that mean that no host answers, or that none can. */
const silent: ReadonlySet<string | undefined> = new Set([
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
]);

/**
 * Requests the start page at an address.
 * @param address an IP address
 * @param timeoutMs for the whole exchange
 */
export function probeIp(
  address: string,
  port: number,
  timeoutMs: number = limits.ipProbeMs,
): Promise<Probed> {
  return new Promise((resolve) => {
    const outgoing = request({ host: address, port, path: "/", method: "GET", agent: false });
    const timer = setTimeout(() => end("timeout"), timeoutMs);
    const end = (probed: Probed): void => {
      clearTimeout(timer);
      resolve(probed);
      outgoing.destroy();
    };
    outgoing.on("response", () => end("answered"));
    // Only the first error counts; more may follow the end.
    outgoing.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code === "ECONNREFUSED") end("refused");
      else if (silent.has(code)) end("timeout");
      // The server took the connection and spoke another protocol or hung up.
      else if (code === "ECONNRESET" || code?.startsWith("HPE_") === true) end("answered");
      else end("failed");
    });
    outgoing.end();
  });
}
