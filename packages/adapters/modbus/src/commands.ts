import { twinOf } from "@ledge/model";
import type { DeviceCommand } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { Fault, pollVerdict } from "./fault.ts";
import type { Line } from "./line.ts";
import type { Point, Value } from "./point.ts";
import { decodePoint, encodePoint, ownBits } from "./point.ts";
import type { PolledDevice } from "./polled-device.ts";
import type { Poller } from "./poller.ts";
import type { WriteRequest } from "./request.ts";

const illegalFunction = 0x01;

/** The line and device that a command is for. */
export interface Target {
  readonly line: Line;
  readonly poller: Poller;
  readonly device: PolledDevice;
}

interface Write {
  readonly point: Point;
  readonly words: readonly number[];
}

/**
 * Carries out a command: writes each attribute, reads it back and reports the result, so that the hub shows
 * the true state of a device that clamps or ignores a value.
 * @throws AdapterError `unsupported` or `refused` before anything is written. Fault.
 */
export async function carryOut(target: Target, command: DeviceCommand, signal: AbortSignal): Promise<void> {
  const { poller, device } = target;
  if (command.type === "refresh") return await poller.refresh(device, signal);
  if (command.type !== "set")
    throw new AdapterError("unsupported", `Modbus devices do not support ${command.type}`);
  const writes = writesOf(device, command.attributes);
  try {
    for (const write of writes) {
      await writeTo(target, write, signal);
      await confirm(target, write, signal);
    }
  } catch (error) {
    // A poll shows what became of the command. A device known to be silent would cost another timeout.
    if (device.silences === 0) poller.again(device);
    throw error;
  }
}

function writesOf(device: PolledDevice, attributes: Readonly<Record<string, unknown>>): readonly Write[] {
  const writes: Write[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    const point = device.point(name);
    if (point?.writable === true) {
      writes.push({ point, words: encoded(point, value) });
      continue;
    }
    // Commands to lamps carry a transition time, and some attributes have two names of which the device has
    // one.
    if (name === "transitionMsec") continue;
    const twin = twinOf(name);
    const twinPoint = twin && device.point(twin.name);
    if (twin === undefined || twinPoint?.writable !== true) {
      throw new AdapterError("unsupported", `${device.map.description.native} cannot set ${name}`);
    }
    if (twin.name in attributes || typeof value !== "number") continue;
    writes.push({ point: twinPoint, words: encoded(twinPoint, twin.convert(value)) });
  }
  if (writes.length === 0) throw new AdapterError("unsupported", "nothing to set");
  return writes;
}

function encoded(point: Point, value: unknown): readonly number[] {
  try {
    return encodePoint(point.write ?? point, value);
  } catch (error) {
    if (error instanceof RangeError)
      throw new AdapterError("refused", `${point.attribute}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Some devices support only one of the two functions that write a single coil or register. */
async function writeTo(
  { line, device }: Target,
  { point, words }: Write,
  signal: AbortSignal,
): Promise<void> {
  const { table: where, register } = point.write ?? point;
  const table = where === "coil" ? "coil" : "holding";
  const mask = ownBits(point.write ?? point);
  const place = { table, register } as const;
  let values = words;
  if (mask !== undefined && table === "holding") {
    // The other bits of the register belong to other points.
    const before = await line.request(
      device.map.address,
      { kind: "read", ...place, count: words.length },
      "command",
      signal,
    );
    values = words.map((word, index) => ((before[index] ?? 0) & ~mask & 0xffff) | (word & mask));
  }
  const request: WriteRequest = { kind: "write", ...place, values, multiple: values.length > 1 };
  try {
    await line.request(device.map.address, request, "command", signal);
  } catch (error) {
    if (request.multiple || !(error instanceof Fault) || error.exception !== illegalFunction) throw error;
    await line.request(device.map.address, { ...request, multiple: true }, "command", signal);
  }
  device.written(point);
}

async function confirm(
  { line, poller, device }: Target,
  { point, words }: Write,
  signal: AbortSignal,
): Promise<void> {
  const { table, register, count, attribute } = point;
  let read: readonly number[] | undefined;
  try {
    read = await line.request(
      device.map.address,
      { kind: "read", table, register, count },
      "command",
      signal,
    );
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === "cancelled" || error.kind === "stopped") throw error;
    // The device has acknowledged. When the register cannot be read at all, the written value is the best
    // report.
    if (pollVerdict(error) !== "misfit") return poller.again(device);
  }
  const { coding } = point.write ?? point;
  const value = read === undefined ? plausible({ count, coding }, words) : plausible(point, read);
  if (value !== undefined) poller.answered(device, new Map([[attribute, value]]), "values");
}

function plausible(point: Pick<Point, "coding" | "count">, words: readonly number[]): Value | undefined {
  try {
    return decodePoint(point, words);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
