import type { Device } from "@ledge/model";
import type { View } from "../../machine/view.ts";

/** The function of a key of a remote control. */
export type Key = "on" | "off" | "up" | "down" | "toggle";

/** A key that was pressed, held or released. */
export interface Press {
  readonly device: Device;
  readonly button: number;
  /** Undefined for a key with another function. */
  readonly key: Key | undefined;
  /** A `hold` lasts until a `release`. */
  readonly how: "press" | "hold" | "release";
  /** Full brightness, whatever the level was before. */
  readonly isFull: boolean;
}

/** Returns the press at which a machine steps; undefined for none, and for values restored after a start. */
export function pressOf({ change }: View): Press | undefined {
  if (change?.attribute !== "button" || !change.isNews || typeof change.value !== "number") return undefined;
  const { device, value: button } = change;
  const { modifiers } = device.state;
  const has = (name: string): boolean => Array.isArray(modifiers) && modifiers.includes(name);
  const isFull = has("full_on");
  let key = keyOf(device, button);
  if (isFull) key = "on";
  if (has("toggle")) key = "toggle";
  let how: Press["how"] = "press";
  if (has("longpress")) how = "hold";
  if (has("stop")) how = "release";
  return { device, button, key, how, isFull };
}

const labels: readonly (readonly [Key, RegExp])[] = [
  ["on", /^(?:on|i)$/i],
  ["off", /^(?:off|o)$/i],
  ["up", /^(?:(?:dim )?up|brighter|\+)$/i],
  ["down", /^(?:(?:dim )?down|darker|-)$/i],
  ["toggle", /^(?:toggle|power|on\/off)$/i],
];

/** The usual functions of keys, in order, by the number of keys; four is the most common. */
const customary: Readonly<Record<number, readonly Key[]>> = {
  1: ["toggle"],
  2: ["on", "off"],
  3: ["toggle", "up", "down"],
  4: ["on", "up", "down", "off"],
};

/** By its label; when no label is known, by its number. */
function keyOf(device: Device, button: number): Key | undefined {
  const buttons = buttonsOf(device);
  const said = buttons.flatMap(({ id, label }) => {
    const known = labels.find(([, pattern]) => pattern.test(label.trim()));
    return known === undefined ? [] : [{ id, key: known[0] }];
  });
  if (said.length > 0) return said.find(({ id }) => id === button)?.key;
  const place = buttons.length === 0 ? button - 1 : buttons.findIndex(({ id }) => id === button);
  return customary[buttons.length === 0 ? 4 : buttons.length]?.[place];
}

/** Returns the buttons as the adapter describes them (RC_BUTTON); they may be of any form. */
function buttonsOf(device: Device): readonly { readonly id: unknown; readonly label: string }[] {
  const { buttons } = device as { readonly buttons?: unknown };
  if (!Array.isArray(buttons)) return [];
  return buttons.flatMap((button: unknown) => {
    if (typeof button !== "object" || button === null) return [];
    const { id, label } = button as { readonly id?: unknown; readonly label?: unknown };
    return [{ id, label: typeof label === "string" ? label : "" }];
  });
}
