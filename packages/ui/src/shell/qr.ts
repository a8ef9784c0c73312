// Draws QR codes. The only file that knows the library for it, which comes when it is needed.
import { encode } from "uqr";

/** A QR code: modules of one unit, with the quiet zone that scanners ask for. */
export interface Drawn {
  /** Width and height in units. */
  readonly size: number;
  /** Of its dark modules, as in the attribute `d` of SVG. */
  readonly path: string;
}

/** ISO/IEC 18004 wants four modules of quiet around a code. */
const quiet = 4;

/** Returns the QR code of a text. */
export function drawn(text: string): Drawn {
  const { size, data } = encode(text, { ecc: "M", border: quiet });
  const rows = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { size, path: rows.join("") };
}
