import type { AdapterClock, AdapterRequest } from "@ledge/port";
import { AdapterError, commandsOf, refuseSetting } from "@ledge/port";
import type { DeviceMap } from "./device-map.ts";
import { mapDevice } from "./device-map.ts";
import type { Paired } from "./kept.ts";
import type { PairCommand } from "./pair-command.ts";
import { at, readPairCommands } from "./pair-command.ts";
import { answers, type Askable, identify, probe } from "./probe.ts";

/** A device that has answered at its address, and its line. */
export interface Found {
  readonly port: string;
  readonly map: DeviceMap;
  readonly paired: Paired;
}

/** The lines of the adapter by name, and what is on them. */
export interface Lines {
  readonly stations: ReadonlyMap<string, Askable>;
  readonly known: Iterable<DeviceMap>;
  readonly clock: AdapterClock;
}

/** Finds the devices of PAIR_MODBUS commands on the lines. */
export class Pairings {
  /** The number of devices asked for since the process started. */
  #asked = 0;

  /**
   * Finds all devices of a request, or throws.
   * @throws AdapterError when one is malformed, does not answer, or is known already.
   */
  async find(lines: Lines, request: AdapterRequest, signal: AbortSignal): Promise<readonly Found[]> {
    // An id must never repeat: the hub remembers the ids of devices that it has removed.
    const stamp = lines.clock.now().toString(36);
    const id = (index: number): string => `paired-${stamp}-${this.#asked + index}`;
    const commands = readPairCommands(commandsOf(request), [...lines.stations.keys()], id);
    this.#asked += commands.length;
    const found: Found[] = [];
    const known = [...lines.known];
    for (const command of commands) {
      const port = await lineOf(lines, command, signal);
      const map = mapDevice(port, command.device, "");
      const same = known.find((each) => isSamePlace(each, map));
      if (same !== undefined)
        refuseSetting(at(command.path, "register"), `is already used by "${same.description.name}"`);
      known.push(map);
      found.push({ port, map, paired: { port, device: command.device } });
    }
    const probed: Found[] = [];
    for (const [index, each] of found.entries())
      probed.push(await met(lines, commands[index] as PairCommand, each, signal));
    return probed;
  }
}

/** The one line at which a device answers. */
async function lineOf(
  { stations }: Lines,
  { lines, device, path }: PairCommand,
  signal: AbortSignal,
): Promise<string> {
  const [first, ...others] = lines;
  if (first !== undefined && others.length === 0) return first;
  const heard: string[] = [];
  for (const name of lines) {
    const station = stations.get(name);
    if (station && (await answers(station, mapDevice(name, device, ""), signal))) heard.push(name);
  }
  const [only, second] = heard;
  if (only !== undefined && second === undefined) return only;
  if (only === undefined) {
    const message = `${at(path, "address")}: ${device.address} does not answer on ${lines.join(", ")}`;
    throw new AdapterError("timeout", message);
  }
  return refuseSetting(
    at(path, "port"),
    `must be one of ${heard.join(", ")}: ${device.address} answers on each`,
  );
}

/** The device once it has answered, with the names that it gives itself. */
async function met(
  { stations }: Lines,
  { path, identifies }: PairCommand,
  found: Found,
  signal: AbortSignal,
): Promise<Found> {
  const { port, map, paired } = found;
  const station = stations.get(port);
  if (station === undefined) return found;
  await probe(station, map, path, signal);
  if (!identifies) return found;
  const { manufacturer, model } = await identify(station, map.address, path, signal);
  // What the client says of the device goes before what the device says.
  const told = { ...(manufacturer && { manufacturer }), ...(model && { model }) };
  const device = { ...told, ...paired.device };
  return { port, map: mapDevice(port, device, ""), paired: { port, device } };
}

function isSamePlace(a: DeviceMap, b: DeviceMap): boolean {
  if (a.description.radio !== b.description.radio || a.address !== b.address) return false;
  return a.points.some(({ table, register }) =>
    b.points.some((point) => point.table === table && point.register === register),
  );
}
