// Remotes and sensors of the first interface (`/api/<key>/sensors`). A device is several of them.
import { entriesIn, numberIn, recordIn, wordIn } from "./reading.ts";
import { luxOf, measured, type Press, type Sensor } from "./sensor.ts";

type Resource = Readonly<Record<string, unknown>>;

/** The types that are hardware, and whose name a device of several has. */
const types = ["ZLLSwitch", "ZGPSwitch", "ZLLPresence", "ZLLLightLevel", "ZLLTemperature"];
/** Buttons 1 to 4 of a switch without a battery. */
const tapEvents = [34, 16, 17, 18];
const usualButtons = 4;

/** Reads `sensors`. Those of the bridge itself, and of programs, are left out. */
export function sensorsIn(sensors: unknown): readonly Sensor[] {
  return devicesIn(sensors).map((parts) => {
    const [[id, named]] = parts;
    const [, main] = parts.toSorted(([, one], [, other]) => rank(one) - rank(other))[0] ?? [id, named];
    const states = parts.map(([, part]) => recordIn(part["state"]));
    const configs = parts.map(([, part]) => recordIn(part["config"]));
    const first = <T>(read: (state: Resource) => T | undefined, from = states): T | undefined =>
      from.map(read).find((value) => value !== undefined);
    const celsius = first(({ temperature }) => numberIn(temperature, -10_000, 20_000));
    return {
      id: `sensors/${id}`,
      kind: "sensor" as const,
      name: wordIn(main["name"]) ?? `Sensor ${id}`,
      manufacturer: wordIn(main["manufacturername"]),
      model: wordIn(main["modelid"]),
      isReachable: configs.every(({ reachable }) => reachable !== false),
      values: measured({
        motion: first(({ presence }) => (typeof presence === "boolean" ? presence : undefined)),
        temperature: celsius === undefined ? undefined : celsius / 100,
        lux: luxOf(first(({ lightlevel }) => numberIn(lightlevel, 0, 65_535))),
        battery: first(({ battery }) => numberIn(battery, 0, 100), configs),
      }),
      buttons: parts.some(([, part]) => isSwitch(part)) ? numbersTo(buttonsOf(main)) : [],
    };
  });
}

/** What the switches said last, by the id of their sensor. */
export type Heard = ReadonlyMap<string, string>;

/**
 * Returns the presses since an earlier reading. The interface tells only the last event of a switch, so of two presses between two
 * readings the first is lost.
 * @param before undefined: nothing was read yet, and what is told is old
 */
export function pressesIn(
  sensors: unknown,
  before: Heard | undefined,
): { readonly heard: Heard; readonly presses: readonly Press[] } {
  const heard = new Map<string, string>();
  const presses: Press[] = [];
  for (const parts of devicesIn(sensors))
    for (const [number, part] of parts) {
      if (!isSwitch(part)) continue;
      const { buttonevent, lastupdated } = recordIn(part["state"]);
      const said = `${String(lastupdated)} ${String(buttonevent)}`;
      heard.set(number, said);
      const old = before?.get(number);
      if (old === undefined || old === said) continue;
      const press = pressOf(buttonevent, Number(old.split(" ").at(-1)));
      if (press !== undefined) presses.push({ id: `sensors/${parts[0][0]}`, ...press });
    }
  return { heard, presses };
}

/** An event is a thousand times the button, plus 0 when it goes down, 1 while it is held, 2 and 3 when it goes up after either. */
function pressOf(event: unknown, before: number): Omit<Press, "id"> | undefined {
  const code = numberIn(event, 0, 99_999);
  if (code === undefined) return undefined;
  const tapped = tapEvents.indexOf(code);
  if (tapped >= 0) return { button: tapped + 1, modifiers: [] };
  const button = Math.floor(code / 1000);
  const modifiers = [undefined, ["longpress"], [], ["longpress", "stop"]][code % 1000];
  const isHeldStill = code % 1000 === 1 && code === before;
  return button < 1 || modifiers === undefined || isHeldStill ? undefined : { button, modifiers };
}

type Part = readonly [number: string, part: Resource];

/** Returns the sensors of each device, in the order of their numbers. */
function devicesIn(sensors: unknown): readonly (readonly [Part, ...Part[]])[] {
  const devices = new Map<string, [Part, ...Part[]]>();
  const ordered = [...entriesIn(sensors)].toSorted(([one], [other]) => Number(one) - Number(other));
  for (const [number, part] of ordered) {
    if (!types.includes(String(part["type"])) || !/^\d{1,6}$/.test(number)) continue;
    const address = wordIn(part["uniqueid"])?.split("-")[0] ?? `/${number}`;
    const device = devices.get(address);
    if (device === undefined) devices.set(address, [[number, part]]);
    else device.push([number, part]);
  }
  return [...devices.values()];
}

function isSwitch(part: Resource): boolean {
  return part["type"] === "ZLLSwitch" || part["type"] === "ZGPSwitch";
}

function rank(part: Resource): number {
  return types.indexOf(String(part["type"]));
}

function buttonsOf(part: Resource): number {
  const { inputs } = recordIn(part["capabilities"]);
  return Array.isArray(inputs) && inputs.length > 0 ? inputs.length : usualButtons;
}

const numbersTo = (count: number): readonly number[] =>
  Array.from({ length: Math.min(count, 32) }, (_, index) => index + 1);
