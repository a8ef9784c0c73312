/** How far a reported value may differ from the commanded one and still match: devices round. */
const tolerances: Readonly<Record<string, (target: number) => number>> = {
  brightness: () => 0.01,
  saturation: () => 0.01,
  hue: () => 0.02 * Math.PI,
  // Lamps use mired; one mired is 1 % of the value at 10,000 K.
  temperature: (kelvin) => Math.abs(kelvin) / 100,
  targetTemp: () => 0.5,
  targetTemperature: () => 0.5,
  position: () => 0.01,
  liftPct: () => 1,
  tiltPct: () => 1,
  openPct: () => 1,
};

/** How long (ms) an attribute may take to reach its target without a transition time: motors are slow. */
const travelMs: Readonly<Record<string, number>> = {
  position: 120_000,
  liftPct: 120_000,
  tiltPct: 120_000,
  openPct: 120_000,
};

/** Attributes that a transition fades. */
const fading: ReadonlySet<string> = new Set(["brightness", "hue", "saturation", "temperature"]);

/** Whether two values of an attribute mean the same. */
export function isLike(attribute: string, a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") {
    const distance = attribute === "hue" ? turn(a, b) : Math.abs(a - b);
    return distance <= (tolerances[attribute]?.(b) ?? 0) + Number.EPSILON;
  }
  if (isRecord(a) && isRecord(b))
    return Object.entries(b).every(([key, value]) => isLike(key, a[key], value));
  return a === b;
}

/** Returns how long (ms) the attribute takes to reach a new value; undefined when it jumps. */
export function movingMs(attribute: string, transitionMsec: unknown): number | undefined {
  if (fading.has(attribute)) return typeof transitionMsec === "number" ? transitionMsec : 0;
  return travelMs[attribute];
}

/** Whether a value lies between `before` and `target`; always true when `before` is unknown. */
export function isBetween(attribute: string, value: unknown, before: unknown, target: unknown): boolean {
  if (typeof value !== "number" || typeof target !== "number") return false;
  // A lamp may take either way round the colour wheel.
  if (typeof before !== "number" || attribute === "hue") return true;
  return value >= Math.min(before, target) && value <= Math.max(before, target);
}

/** Angle between two hues (rad). */
function turn(a: number, b: number): number {
  const distance = Math.abs(a - b) % (2 * Math.PI);
  return Math.min(distance, 2 * Math.PI - distance);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
