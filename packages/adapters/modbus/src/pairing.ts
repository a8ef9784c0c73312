import type { AdapterClock, AdapterRequest } from "@ledge/port";
import { AdapterError, commandsOf, refuseSetting } from "@ledge/port";
import type { DeviceMap } from "./device-map.ts";
import type { Paired } from "./kept.ts";
import type { PairCommand } from "./pair-command.ts";
import { at, readPairCommands } from "./pair-command.ts";
import type { Models } from "./models.ts";
import { answers, type Askable, identify, probe } from "./probe.ts";
import { mapsOf } from "./roster.ts";

interface Found extends Paired {
  readonly maps: readonly DeviceMap[];
}

/** The lines of the adapter by name, and what is on them. */
export interface Lines {
  readonly stations: ReadonlyMap<string, Askable>;
  readonly known: readonly DeviceMap[];
  readonly models: Models;
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
  async find(lines: Lines, request: AdapterRequest, signal: AbortSignal): Promise<readonly Paired[]> {
    // An id must never repeat: the hub remembers the ids of devices that it has removed.
    const stamp = lines.clock.now().toString(36);
    const id = (index: number): string => `paired-${stamp}-${this.#asked + index}`;
    const { models } = lines;
    const commands = readPairCommands(commandsOf(request), { lines: [...lines.stations.keys()], models, id });
    this.#asked += commands.length;
    const found: Found[] = [];
    const known = [...lines.known];
    for (const command of commands) {
      const { device, path } = command;
      const port = await lineOf(lines, command, signal);
      const maps = mapsOf(port, device, models, "");
      const same = known.find((each) => maps.some((map) => isSamePlace(each, map)));
      if (same !== undefined)
        refuseSetting(at(path, "register"), `is already used by "${same.description.name}"`);
      known.push(...maps);
      found.push({ port, device, maps });
    }
    const paired: Paired[] = [];
    for (const [index, each] of found.entries())
      paired.push(await met(lines, commands[index] as PairCommand, each, signal));
    return paired;
  }
}

/** The one line at which a device answers. */
async function lineOf(
  { stations, models }: Lines,
  { lines, device, path }: PairCommand,
  signal: AbortSignal,
): Promise<string> {
  const [first, ...others] = lines;
  if (first !== undefined && others.length === 0) return first;
  const heard: string[] = [];
  for (const name of lines) {
    const station = stations.get(name);
    const [map] = mapsOf(name, device, models, "");
    if (station && map && (await answers(station, map, signal))) heard.push(name);
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
  { stations, models }: Lines,
  { path, identifies }: PairCommand,
  { port, device, maps }: Found,
  signal: AbortSignal,
): Promise<Paired> {
  const station = stations.get(port);
  if (station === undefined) return { port, device };
  // A model has registers that not every such device has: it is enough that its first part has one.
  const isModel = device.deviceType === "MODEL";
  for (const map of isModel ? maps.slice(0, 1) : maps) await probe(station, map, path, isModel, signal);
  if (!identifies) return { port, device };
  const { manufacturer, model } = await identify(station, device.address, path, signal);
  const expected = isModel ? models.get(device.modelId) : undefined;
  if (expected?.identification !== undefined && !names(expected.identification, { manufacturer, model })) {
    const said = [manufacturer, model].filter(Boolean).join(" ");
    refuseSetting(
      at(path, "address"),
      `${device.address} says that it is "${said}", which is no ${expected.id}`,
    );
  }
  // What the client says of the device goes before what the device says.
  const told = { ...(manufacturer && { manufacturer }), ...(model && { model }) };
  return { port, device: { ...told, ...device } };
}

interface Names {
  readonly manufacturer?: string | undefined;
  readonly model?: string | undefined;
}

function names(expected: Names, said: Names): boolean {
  const has = (word = "", text = ""): boolean => text.toLowerCase().includes(word.toLowerCase());
  return has(expected.manufacturer, said.manufacturer) && has(expected.model, said.model);
}

function isSamePlace(a: DeviceMap, b: DeviceMap): boolean {
  if (a.description.radio !== b.description.radio || a.address !== b.address) return false;
  return a.points.some(({ table, register }) =>
    b.points.some((point) => point.table === table && point.register === register),
  );
}
