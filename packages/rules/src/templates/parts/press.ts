import type { Device } from "@ledge/model";
import type { View } from "../../machine/view.ts";

/** What a key of a remote control is for. */
export type Key = "on" | "off" | "up" | "down" | "toggle";

/** A key that was pressed, held or let go. */
export interface Press {
  readonly device: Device;
  readonly button: number;
  /** Undefined for a key that is for something else. */
  readonly key: Key | undefined;
  /** It is held down until a `release`. */
  readonly how: "press" | "hold" | "release";
  /** Full light is meant, whatever was before. */
  readonly isFull: boolean;
}

/** The press that a machine steps for, or undefined: what is restored after a start is none. */
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

/** By how many keys a remote control has, the first first; four is what is common. */
const customary: Readonly<Record<number, readonly Key[]>> = {
  1: ["toggle"],
  2: ["on", "off"],
  3: ["toggle", "up", "down"],
  4: ["on", "up", "down", "off"],
};

/** By its label; where none of the labels says anything, by its number. */
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

/** What a device says of its buttons (RC_BUTTON): its adapter's words, which may be anything. */
function buttonsOf(device: Device): readonly { readonly id: unknown; readonly label: string }[] {
  const { buttons } = device as { readonly buttons?: unknown };
  if (!Array.isArray(buttons)) return [];
  return buttons.flatMap((button: unknown) => {
    if (typeof button !== "object" || button === null) return [];
    const { id, label } = button as { readonly id?: unknown; readonly label?: unknown };
    return [{ id, label: typeof label === "string" ? label : "" }];
  });
}
