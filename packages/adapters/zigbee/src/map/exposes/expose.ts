/**
 * What a definition of zigbee-herdsman-converters, or an MQTT bridge, says that a device has: its `exposes`, with
 * nothing taken for granted.
 */
export interface Expose {
  readonly type: string;
  readonly name: string;
  /** Key of the value in what the device says. */
  readonly property: string;
  /** Name of the endpoint that it belongs to, with which its property ends too; null for the whole device. */
  readonly endpoint: string | null;
  readonly label: string;
  readonly description: string | null;
  readonly unit: string | null;
  readonly isSaid: boolean;
  readonly isSettable: boolean;
  readonly isConfig: boolean;
  /** Of a binary. */
  readonly on: unknown;
  readonly off: unknown;
  /** Of an enum. */
  readonly values: readonly (string | number)[];
  /** Of a number. */
  readonly least: number | null;
  readonly most: number | null;
  readonly features: readonly Expose[];
}

const accessSaid = 1;
const accessSet = 2;

/** Reads exposes; what is not shaped like one is left out. */
export function exposesOf(said: unknown, depth = 0): readonly Expose[] {
  if (!Array.isArray(said) || depth > 3) return [];
  return said.flatMap((each: unknown) => {
    if (typeof each !== "object" || each === null) return [];
    const raw = each as Record<string, unknown>;
    const type = text(raw["type"]);
    if (type === null) return [];
    const name = text(raw["name"]) ?? type;
    const access = number(raw["access"]) ?? 0;
    const { values } = raw;
    return [
      {
        type,
        name,
        property: text(raw["property"]) ?? name,
        endpoint: text(raw["endpoint"]),
        label: text(raw["label"]) ?? name,
        description: text(raw["description"]),
        unit: text(raw["unit"]),
        isSaid: (access & accessSaid) !== 0,
        isSettable: (access & accessSet) !== 0,
        isConfig: raw["category"] === "config",
        on: raw["value_on"],
        off: raw["value_off"],
        values: Array.isArray(values) ? values.filter(isWord) : [],
        least: number(raw["value_min"]),
        most: number(raw["value_max"]),
        features: exposesOf(raw["features"], depth + 1),
      },
    ];
  });
}

/** A property without the name of its endpoint: the key under which it is set. */
export function keyOf({ property, endpoint }: Pick<Expose, "property" | "endpoint">): string {
  const end = `_${endpoint}`;
  return endpoint !== null && property.endsWith(end) ? property.slice(0, -end.length) : property;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function isWord(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}
