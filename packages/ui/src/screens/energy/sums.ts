import type { SeriesName, SummedHistory } from "../../api/energy.ts";

/** What somebody used, and what it cost. */
export interface Used {
  readonly kWh: number;
  /** Null: no price was known. */
  readonly cost: number | null;
  /** Of `kWh`, without a known price. */
  readonly unpriced: number;
}

/** A device or a room with what it used. */
export interface Share extends Used {
  readonly id: string;
  readonly name: string;
}

const nothing: Used = { kWh: 0, cost: null, unpriced: 0 };

/** The best first: a meter that never begins anew, one of a day, and power, which is summed up over time. */
const meters = ["totalPower", "powerToday", "activePower", "power"] as const;

interface Metered {
  readonly id: string;
  readonly state: object;
}

/** Returns the attribute that tells what a device uses; undefined for one without a meter. */
export function meterOf({ id, state }: Metered): SeriesName | undefined {
  const attribute = meters.find((name) => typeof (state as Record<string, unknown>)[name] === "number");
  return attribute === undefined ? undefined : { deviceId: id, attribute };
}

/** Returns the power of the main meter if it tells it, else the sum of all (W); undefined when none tells it. */
export function powerNow(devices: readonly Metered[], main?: string): number | undefined {
  const meter = devices.filter(({ id }) => id === main);
  if (meter.length > 0) return powerNow(meter) ?? powerNow(devices.filter(({ id }) => id !== main));
  const found = devices.flatMap(({ state }) => {
    const { activePower, power } = state as Record<string, unknown>;
    const watts = activePower ?? power;
    return typeof watts === "number" ? [watts] : [];
  });
  return found.length === 0 ? undefined : found.reduce((sum, watts) => sum + watts, 0);
}

function plus(one: Used, other: Used): Used {
  const cost = one.cost === null || other.cost === null ? (one.cost ?? other.cost) : one.cost + other.cost;
  return { kWh: one.kWh + other.kWh, cost, unpriced: one.unpriced + other.unpriced };
}

function usedIn(point: SummedHistory["series"][number]["points"][number]): Used {
  if (point === null || point.kWh === null) return nothing;
  return { kWh: point.kWh, cost: point.cost, unpriced: point.unpriced };
}

/** In place of the id of a device: what a main meter has counted beside the devices. */
export const otherId = "";

/** What a home used, once, and what its devices used of that. */
export interface WholeAndParts {
  readonly whole: SummedHistory;
  readonly parts: SummedHistory;
}

/**
 * Counts nothing twice: the main meter, if any, is the whole, the other devices are parts of it, and what is left
 * between them is a part named `otherId`. Meters that disagree leave nothing.
 */
export function wholeAndParts(found: SummedHistory, main: string | undefined): WholeAndParts {
  const meter = found.series.find(({ deviceId }) => deviceId === main);
  if (meter === undefined) return { whole: found, parts: found };
  const series = found.series.filter((each) => each !== meter);
  const used = byTime({ ...found, series });
  const points = meter.points.map((point, place) => left(point, used[place] ?? nothing));
  const other = { deviceId: otherId, attribute: meter.attribute, points };
  return { whole: { ...found, series: [meter] }, parts: { ...found, series: [...series, other] } };
}

/** Returns what a meter has counted beyond its parts, at the mean price of that hour or day. */
function left(point: SummedHistory["series"][number]["points"][number], parts: Used): typeof point {
  if (point === null || point.kWh === null) return point;
  const kWh = Math.max(0, point.kWh - parts.kWh);
  const share = point.kWh > 0 ? kWh / point.kWh : 0;
  return { kWh, cost: point.cost === null ? null : point.cost * share, unpriced: point.unpriced * share };
}

/** Returns what was used in each hour or day. */
export function byTime({ starts, series }: SummedHistory): readonly Used[] {
  return starts.map((_, place) =>
    series.map(({ points }) => usedIn(points[place] ?? null)).reduce(plus, nothing),
  );
}

/** Returns what was used in all. */
export function inAll(found: SummedHistory): Used {
  return byTime(found).reduce(plus, nothing);
}

/**
 * Returns what each one used, the most first.
 * @param of the device or room of a series @param place of an hour or a day; null: all
 */
export function shares(
  { series }: SummedHistory,
  of: (deviceId: string) => { readonly id: string; readonly name: string },
  place: number | null,
): readonly Share[] {
  const all = new Map<string, Share>();
  for (const { deviceId, points } of series) {
    const used = (place === null ? points : [points[place] ?? null]).map(usedIn).reduce(plus, nothing);
    const { id, name } = of(deviceId);
    all.set(id, { id, name, ...plus(all.get(id) ?? nothing, used) });
  }
  return [...all.values()].toSorted((a, b) => b.kWh - a.kWh);
}

/** Returns one answer of several, which were asked about the same hours or days. */
export function joined(answers: readonly SummedHistory[]): SummedHistory | undefined {
  const [first] = answers;
  return first && { ...first, series: answers.flatMap(({ series }) => series) };
}

/** Returns a table for other programs: a line for each device and hour or day, times in UTC. */
export function csvOf(found: SummedHistory, nameOf: (deviceId: string) => string): string {
  const lines = found.series.flatMap(({ deviceId, points }) =>
    found.starts.map((start, place) => {
      const { kWh, cost } = usedIn(points[place] ?? null);
      const price = cost === null ? "" : cost.toFixed(4);
      return [quoted(nameOf(deviceId)), new Date(start).toISOString(), kWh.toFixed(4), price].join(",");
    }),
  );
  return `${[`device,from,kWh,cost${found.currency === null ? "" : ` ${found.currency}`}`, ...lines].join("\r\n")}\r\n`;
}

/** Tables take a text that begins with one of these signs for a formula. */
function quoted(text: string): string {
  const plain = /^[-=+@\t\r]/.test(text) ? `'${text}` : text;
  return `"${plain.replaceAll('"', '""')}"`;
}
