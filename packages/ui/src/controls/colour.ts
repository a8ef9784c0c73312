/** A colour of a lamp at full brightness: hue in radians, 0 to 2π from red over green to blue; saturation 0 to 1. */
export interface Colour {
  readonly hue: number;
  readonly saturation: number;
}

const whole = 2 * Math.PI;
/** Hubs compare values; digits beyond these say nothing. */
const places = 1000;

function rounded(value: number): number {
  return Math.floor(value * places + 0.5) / places;
}

function colour(hue: number, saturation: number): Colour {
  const turned = ((hue % whole) + whole) % whole;
  // Rounded up, the last bit of the wheel would lie beyond its end.
  return {
    hue: Math.min(rounded(turned), Math.floor(whole * places) / places),
    saturation: rounded(Math.min(1, Math.max(0, saturation))),
  };
}

/** Returns the colour that attributes of a lamp name; undefined while it shows a white, or none is known. */
export function colourOf({ hue, saturation }: Readonly<Record<string, unknown>>): Colour | undefined {
  if (typeof hue !== "number" || hue < 0) return undefined;
  return colour(hue, typeof saturation === "number" && saturation >= 0 ? saturation : 1);
}

/** Returns the colour at a place of the wheel: -1 to 1 to the right and down, red at the top, white in the middle. */
export function colourAt(x: number, y: number): Colour {
  return colour(Math.atan2(x, -y), Math.hypot(x, y));
}

/** Returns the place of a colour on the wheel, as `colourAt` takes it. */
export function placeOf({ hue, saturation }: Colour): { readonly x: number; readonly y: number } {
  return { x: saturation * Math.sin(hue), y: -saturation * Math.cos(hue) };
}

const turn = (5 * Math.PI) / 180;
const strengthen = 0.05;

/** What a key does to a colour: by how much it turns the hue, and changes the saturation. */
const steps: ReadonlyMap<string, readonly [hue: number, saturation: number]> = new Map([
  ["ArrowRight", [turn, 0]],
  ["ArrowLeft", [-turn, 0]],
  ["ArrowUp", [0, strengthen]],
  ["ArrowDown", [0, -strengthen]],
  ["PageUp", [6 * turn, 0]],
  ["PageDown", [-6 * turn, 0]],
]);

/** Returns a colour after a key of the keyboard; undefined for a key that does nothing. */
export function turnedBy(key: string, { hue, saturation }: Colour): Colour | undefined {
  const step = steps.get(key);
  return step && colour(hue + step[0], saturation + step[1]);
}

/** Returns a colour as #rrggbb. */
export function hexOf({ hue, saturation }: Colour): string {
  const sixth = hue / (whole / 6);
  const channel = (shift: number): string => {
    const at = (shift + sixth) % 6;
    const part = 1 - saturation * Math.max(0, Math.min(at, 4 - at, 1));
    return Math.floor(part * 255 + 0.5)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(5)}${channel(3)}${channel(1)}`;
}

/** Returns the colour of #rrggbb, whatever its brightness; undefined for another text. */
export function colourIn(hex: string): Colour | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(hex)) return undefined;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  if (span === 0) return { hue: 0, saturation: 0 };
  const sixth =
    most === red
      ? (green - blue) / span
      : most === green
        ? 2 + (blue - red) / span
        : 4 + (red - green) / span;
  return colour((sixth * whole) / 6, span / most);
}
