/** A colour at full brightness: hue in rad, 0 to 2 pi, saturation 0 to 1. */
export interface HueSaturation {
  readonly hue: number;
  readonly saturation: number;
}

/** CIE 1931 chromaticity. */
export interface Chromaticity {
  readonly x: number;
  readonly y: number;
}

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

// sRGB (IEC 61966-2-1): linear light to CIE XYZ for the white point D65, and back.
const toXyz: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const fromXyz: Matrix = [
  [3.2404542, -1.5371385, -0.4985314],
  [-0.969266, 1.8760108, 0.041556],
  [0.0556434, -0.2040259, 1.0572252],
];

/** Returns the chromaticity of a colour. */
export function chromaticityOf({ hue, saturation }: HueSaturation): Chromaticity {
  const [x, y, z] = transform(toXyz, each(channels(hue, saturation), linear));
  const sum = x + y + z;
  return { x: x / sum, y: y / sum };
}

/** Returns the nearest colour that red, green and blue can mix; undefined for an impossible chromaticity. */
export function hueSaturationOf({ x, y }: Chromaticity): HueSaturation | undefined {
  if (!(x >= 0 && y > 0 && x + y <= 1)) return undefined;
  const light = each(transform(fromXyz, [x / y, 1, (1 - x - y) / y]), (channel) => Math.max(0, channel));
  const brightest = Math.max(...light);
  if (!(brightest > 0)) return undefined;
  const [red, green, blue] = each(light, (channel) => gamma(channel / brightest));
  const most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  if (span < 1e-9) return { hue: 0, saturation: 0 };
  return { hue: (sextant(red, green, blue, span) * Math.PI) / 3, saturation: span / most };
}

/** Returns the position on the colour wheel, 0 to 6. */
function sextant(red: number, green: number, blue: number, span: number): number {
  if (red >= green && red >= blue) return ((green - blue) / span + 6) % 6;
  return green >= blue ? (blue - red) / span + 2 : (red - green) / span + 4;
}

/** Returns red, green and blue, 0 to 1, with the brightest at 1. */
function channels(hue: number, saturation: number): Triple {
  const at = (offset: number): number => {
    const place = (offset + (hue * 3) / Math.PI) % 6;
    return 1 - saturation * Math.max(0, Math.min(place, 4 - place, 1));
  };
  return [at(5), at(3), at(1)];
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

function gamma(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}

function transform([first, second, third]: Matrix, triple: Triple): Triple {
  return [product(first, triple), product(second, triple), product(third, triple)];
}

function product([a, b, c]: Triple, [x, y, z]: Triple): number {
  return a * x + b * y + c * z;
}

function each([a, b, c]: Triple, change: (value: number) => number): Triple {
  return [change(a), change(b), change(c)];
}
