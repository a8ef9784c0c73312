/**
 * One of the `exposes` of a zigbee-herdsman-converters definition or an MQTT bridge: something that a device
 * has. Its input is not trusted.
 */
export interface Expose {
  readonly type: string;
  readonly name: string;
  /** The key of its value in messages. */
  readonly property: string;
  /** The name of its endpoint, which is also the suffix of its property; null for the whole device. */
  readonly endpoint: string | null;
  readonly label: string;
  readonly description: string | null;
  readonly unit: string | null;
  readonly isSaid: boolean;
  readonly isSettable: boolean;
  /** Whether the device can be asked for it. */
  readonly isReadable: boolean;
  readonly isConfig: boolean;
  /** For a binary. */
  readonly on: unknown;
  readonly off: unknown;
  /** For an enum. */
  readonly values: readonly (string | number)[];
  /** For a number. */
  readonly least: number | null;
  readonly most: number | null;
  readonly features: readonly Expose[];
}

const accessSaid = 1;
const accessSet = 2;
const accessGet = 4;

/** Reads exposes and skips malformed ones. */
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
        isReadable: (access & accessGet) !== 0,
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

/** Returns the key that sets a property: the property without its endpoint's name. */
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
