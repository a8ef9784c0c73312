import type { AdapterHost } from "@ledge/port";
import { deviceFailure, Fault, pollVerdict } from "./fault.ts";
import type { Point, Value } from "./point.ts";
import { decodePoint } from "./point.ts";
import type { PolledDevice } from "./polled-device.ts";
import type { Block } from "./read-plan.ts";
import { wordsOf } from "./read-plan.ts";
import type { ReadRequest } from "./request.ts";

/** Sends a read to a device. */
export type Ask = (request: ReadRequest) => Promise<readonly number[]>;

/** The result of reading a device's points. */
export interface Reading {
  readonly values: ReadonlyMap<string, Value>;
  /** The first fault that suggests that the device is gone. */
  readonly silence: Fault | undefined;
  /** Whether the device answered at all, even with a refusal. */
  readonly answered: boolean;
}

/**
 * Reads a device's due points, block by block.
 * @param withRefused includes points that the device refused recently.
 */
export async function readDevice(
  device: PolledDevice,
  ask: Ask,
  host: Pick<AdapterHost, "clock" | "log">,
  withRefused: boolean,
): Promise<Reading> {
  const values = device.beginReading();
  let silence: Fault | undefined;
  let answered = false;
  for (const block of device.reads(host.clock.now(), withRefused)) {
    const { table, register, count } = block;
    try {
      const words = await ask({ kind: "read", table, register, count });
      answered = true;
      decode(device, block, words, values, host);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const verdict = pollVerdict(error);
      if (verdict === "silent") {
        silence ??= error;
        // A device may fail for one register and serve the next. After any other silence it is not asked
        // again.
        if (error.exception !== deviceFailure) break;
      } else {
        answered = true;
        if (verdict === "misfit")
          complain(host, device, device.refused(block, host.clock.now()), error.message);
      }
    }
  }
  device.endReading(values);
  return { values, silence, answered };
}

function decode(
  device: PolledDevice,
  block: Block,
  words: readonly number[],
  values: Map<string, Value>,
  host: Pick<AdapterHost, "log">,
): void {
  for (const point of block.points) {
    device.readable(point.attribute);
    try {
      const value = decodePoint(point, wordsOf(point, block, words));
      if (value !== undefined) values.set(point.attribute, value);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      complain(host, device, device.implausible(point.attribute), error.message);
    }
  }
}

function complain(
  host: Pick<AdapterHost, "log">,
  device: PolledDevice,
  point: Point | undefined,
  reason: string,
): void {
  if (point === undefined) return;
  const { attribute, table, register } = point;
  const where = { device: device.map.description.native, attribute, table, register };
  host.log("warn", "a point cannot be read", { ...where, reason });
}
