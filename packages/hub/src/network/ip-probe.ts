import { request } from "node:http";
import type { Probed } from "@ledge/api";
import { limits } from "@ledge/model";

/** Errors of node:net that mean that nobody is there, or that none can say so. */
const silent: ReadonlySet<string | undefined> = new Set([
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
]);

/**
 * Asks an address for its start page.
 * @param address an IP address.
 * @param timeoutMs of the whole.
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
    // The first error counts; what follows the end is of no interest.
    outgoing.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code === "ECONNREFUSED") end("refused");
      else if (silent.has(code)) end("timeout");
      // It took the connection and speaks something else, or hung up.
      else if (code === "ECONNRESET" || code?.startsWith("HPE_") === true) end("answered");
      else end("failed");
    });
    outgoing.end();
  });
}
