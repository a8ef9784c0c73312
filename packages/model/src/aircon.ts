import type { Extra, Extras } from "./extra.ts";

/** AIRCON_PUMP (hub-api 4.2): a pump of an air conditioner. */
export interface AirconPump {
  readonly type: "AIRCON_PUMP";
  readonly id: string;
  readonly name: string;
  readonly isOn: boolean;
  /** Null while nothing is wrong with it. */
  readonly error: string | null;
}

const pattern = /^pump\.([^.]+)$/;

/**
 * Returns the pumps of an air conditioner, which its adapter describes as extras: `pump.<id>`, a truth or an option that is not `off`,
 * and beside it `pump.<id>.error`, a truth, or a text or number of which empty, `ok` and 0 are none. Undefined when it shows no pumps.
 */
export function airconPumps(extras: Extras | undefined): readonly AirconPump[] | undefined {
  const pumps = Object.entries(extras ?? {}).flatMap(([key, { value }]): AirconPump[] => {
    const id = pattern.exec(key)?.[1];
    if (extras === undefined || id === undefined) return [];
    const error = errorOf(Object.hasOwn(extras, `${key}.error`) ? extras[`${key}.error`] : undefined);
    const isOn = value === true || (value !== null && value !== false && value !== 0 && value !== "off");
    return [{ type: "AIRCON_PUMP", id, name: nameOf(id), isOn, error }];
  });
  return pumps.length === 0 ? undefined : pumps;
}

function errorOf(extra: Extra | undefined): string | null {
  const value = extra?.value ?? null;
  if (value === true) return "fault";
  return value === null || value === false || ["", "ok", "0"].includes(String(value)) ? null : String(value);
}

/** `hot_water` is Hot water. */
function nameOf(id: string): string {
  const words = id.replaceAll(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
