import { AdapterError } from "@ledge/port";
import type { DeviceMap } from "./device-map.ts";
import { commandError, Fault, pollVerdict } from "./fault.ts";
import type { Line } from "./line.ts";
import { at } from "./pair-command.ts";

/**
 * Reads each point of a device that is to be paired.
 * @param path where its command is, for errors.
 * @throws AdapterError when it does not answer or lacks a register; the message starts with the field.
 */
export async function probe(
  { line }: { readonly line: Line },
  { address, points }: DeviceMap,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  for (const { table, register, count } of points) {
    try {
      await line.request(address, { kind: "read", table, register, count }, "command", signal);
    } catch (error) {
      // A busy device exists.
      if (!(error instanceof Fault)) throw error;
      if (pollVerdict(error) === "later") continue;
      const { code } = commandError(error) as AdapterError;
      const isMisfit = pollVerdict(error) === "misfit";
      const field = at(path, isMisfit ? "register" : "address");
      const what = isMisfit
        ? `${table} ${register} of ${address} cannot be read`
        : `${address} does not answer`;
      throw new AdapterError(code, `${field}: ${what}: ${error.message}`, { cause: error });
    }
  }
}
