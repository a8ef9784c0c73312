import { commandClass } from "./command-class.ts";
import type { ValueRow } from "./row.ts";
import type { AttributeValues, NodeValue } from "./value.ts";
import { numberIn, rounded } from "./value.ts";

/** The light of the white components, in K; the command class does not say it, and lamps are about so. */
const warmKelvin = 2700;
const coldKelvin = 6500;
const fullComponent = 255;

/** The components of a colour by the library's names, 0 to 255 each. */
export type Components = Readonly<Partial<Record<ComponentName, number>>>;
type ComponentName = "warmWhite" | "coldWhite" | "red" | "green" | "blue";

function componentsOf({ value }: NodeValue): Components {
  const entries = Object.entries(typeof value === "object" && value !== null ? value : {});
  return Object.fromEntries(entries.filter(([, share]) => numberIn(share, 0, fullComponent) !== undefined));
}

export const color: ValueRow = {
  commandClass: commandClass.color,
  property: "currentColor",
  capabilities(value) {
    const has = componentsOf(value);
    return [
      ...(has.red !== undefined && has.green !== undefined && has.blue !== undefined
        ? (["COLOR_HS"] as const)
        : []),
      ...(has.warmWhite !== undefined && has.coldWhite !== undefined ? (["COLOR_TEMP"] as const) : []),
    ];
  },
  attributes: (value) => attributesOf(componentsOf(value)),
};

/** Returns what the hub shows of a mix of components: a hue where a colour shines, else a white. */
function attributesOf({
  red = 0,
  green = 0,
  blue = 0,
  warmWhite = 0,
  coldWhite = 0,
}: Components): AttributeValues {
  const most = Math.max(red, green, blue);
  if (most > 0) {
    const least = Math.min(red, green, blue);
    const hue = hueOf(red, green, blue, most - least);
    const saturation = rounded((most - least) / most, 4);
    return { colorMode: "hs", hue: rounded(hue, 4), saturation, temperature: -1 };
  }
  const white = warmWhite + coldWhite;
  if (white === 0) return {};
  const kelvin = warmKelvin + (coldKelvin - warmKelvin) * (coldWhite / white);
  const range = { minTemperature: warmKelvin, maxTemperature: coldKelvin };
  return { colorMode: "ct", hue: -1, saturation: -1, temperature: Math.round(kelvin), ...range };
}

/** Returns the hue in rad. */
function hueOf(red: number, green: number, blue: number, span: number): number {
  if (span === 0) return 0;
  const most = Math.max(red, green, blue);
  const sixth =
    most === red
      ? ((green - blue) / span + 6) % 6
      : most === green
        ? (blue - red) / span + 2
        : (red - green) / span + 4;
  return (sixth * Math.PI) / 3;
}

/** Returns the components of a colour temperature in K; the nearest that the lamp has. */
export function componentsOfWhite(kelvin: number): Components {
  const share = (Math.min(Math.max(kelvin, warmKelvin), coldKelvin) - warmKelvin) / (coldKelvin - warmKelvin);
  const coldWhite = Math.round(fullComponent * share);
  return { warmWhite: fullComponent - coldWhite, coldWhite, red: 0, green: 0, blue: 0 };
}

/** Returns the components of a hue in rad at a saturation of 0 to 1, at full brightness. */
export function componentsOfHue(hue: number, saturation: number): Components {
  const channel = (offset: number): number => {
    const sixth = (offset + (hue * 3) / Math.PI) % 6;
    const share = 1 - saturation * Math.max(0, Math.min(sixth, 4 - sixth, 1));
    return Math.round(fullComponent * share);
  };
  return { red: channel(5), green: channel(3), blue: channel(1), warmWhite: 0, coldWhite: 0 };
}
