import { AdapterError } from "@ledge/port";
import type { DeviceMap } from "./device-map.ts";
import { commandError, Fault, pollVerdict } from "./fault.ts";
import type { Line } from "./line.ts";
import type { Identification } from "./identification.ts";
import { readIdentification } from "./identification.ts";
import { at } from "./pair-command.ts";

/** A line that can be asked. */
export interface Askable {
  readonly line: Line;
}

/**
 * Reads each point of a device that is to be paired; of a model until one can be read.
 * @param path where its command is, for errors.
 * @throws AdapterError when it does not answer or lacks a register; the message starts with the field.
 */
export async function probe(
  { line }: Askable,
  { address, points }: DeviceMap,
  path: string,
  isModel: boolean,
  signal: AbortSignal,
): Promise<void> {
  for (const [index, { table, register, count }] of points.entries()) {
    try {
      await line.request(address, { kind: "read", table, register, count }, "command", signal);
      if (isModel) return;
    } catch (error) {
      // A busy device exists.
      if (!(error instanceof Fault)) throw error;
      if (pollVerdict(error) === "later") continue;
      if (isModel && pollVerdict(error) === "misfit" && index < points.length - 1) continue;
      const isMisfit = pollVerdict(error) === "misfit";
      const field = at(path, isMisfit ? "register" : "address");
      throw refused(
        field,
        isMisfit ? `${table} ${register} of ${address} cannot be read` : silent(address),
        error,
      );
    }
  }
}

/**
 * Asks a device how it names itself.
 * @param path where its command is, for errors.
 * @throws AdapterError when it does not answer or has no identification; the message starts with the field.
 */
export async function identify(
  { line }: Askable,
  address: number,
  path: string,
  signal: AbortSignal,
): Promise<Identification> {
  try {
    return await readIdentification((request) => line.request(address, request, "command", signal));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (pollVerdict(error) === "silent") throw refused(at(path, "address"), silent(address), error);
    throw refused(at(path, "readDeviceIdSupported"), `${address} has no identification`, error);
  }
}

/** Whether a device answers at this address of a line: a refusal is an answer. */
export async function answers(
  { line }: Askable,
  { address, points: [point] }: DeviceMap,
  signal: AbortSignal,
): Promise<boolean> {
  if (point === undefined) return false;
  const { table, register, count } = point;
  try {
    await line.request(address, { kind: "read", table, register, count }, "command", signal);
    return true;
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === "cancelled" || error.kind === "stopped") throw error;
    return pollVerdict(error) !== "silent";
  }
}

const silent = (address: number): string => `${address} does not answer`;

function refused(field: string, what: string, fault: Fault): AdapterError {
  const { code } = commandError(fault) as AdapterError;
  return new AdapterError(code, `${field}: ${what}: ${fault.message}`, { cause: fault });
}
