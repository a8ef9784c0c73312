import { combinedBy, furtherCombinedBy } from "./combinable.ts";
import { firstExtension } from "./first-extension.ts";
import { primary } from "./primary.ts";
import { type Quantity, reserved } from "./quantity.ts";
import { secondExtension } from "./second-extension.ts";

/** What the whole value information of a record means. */
export interface Meaning extends Quantity {
  /** What its combinable VIFEs say, in words. */
  readonly qualifiers: readonly string[];
  /** Is added to a value in the unit of the quantity. */
  readonly addend: number;
}

/** VIFs that name a table for the VIFE behind them, and the one for a text. */
const toFirst = 0xfd;
const toSecond = 0xfb;
const asText = 0x7c;
export const manufacturerSpecific = 0x7f;
/** VIFE: the next one is of the second table of combinable VIFEs. */
const toFurther = 0xfc;

/** Whether the VIF is a text that follows it. */
export function isTextVif(vif: number): boolean {
  return (vif & 0x7f) === asText;
}

/**
 * Returns what a VIF and its VIFEs mean. A code that the standard keeps for later has the quantity "Reserved".
 * @param vib VIF and VIFEs without the text of the VIF
 */
export function meaningOf(vib: Uint8Array, text: string | undefined): Meaning {
  const vif = vib[0] as number;
  const base = baseOf(vib, text);
  const qualifiers: string[] = [];
  if ((vif & 0x7f) === manufacturerSpecific) return { ...base, qualifiers, addend: 0 };
  const { quantity } = base;
  let { unit, exponent, factor = 1, type } = base;
  let addend = 0;
  for (let i = vif === toFirst || vif === toSecond ? 2 : 1; i < vib.length; i++) {
    const code = vib[i] as number;
    const next = vib[i + 1];
    const combined =
      code === toFurther && next !== undefined ? furtherCombinedBy(vib[++i] as number) : combinedBy(code);
    if (combined.qualifier !== undefined) qualifiers.push(combined.qualifier);
    if (combined.exponent !== undefined) exponent += combined.exponent;
    if (combined.addend !== undefined) addend += 10 ** (combined.addend + base.exponent);
    if (combined.isTimePoint) {
      [unit, exponent, factor, type] = ["-", 0, 1, "dateTime"];
    } else if (combined.seconds !== undefined) {
      [unit, exponent, factor, type] = ["s", 0, combined.seconds, undefined];
    }
    // What follows is the manufacturer's.
    if ((code & 0x7f) === manufacturerSpecific) break;
  }
  return { quantity, unit, exponent, factor, qualifiers, addend, ...(type !== undefined && { type }) };
}

/** Returns what the VIF says without its combinable VIFEs. */
export function baseOf(vib: Uint8Array, text: string | undefined): Quantity {
  const vif = vib[0] as number;
  const next = (vib[1] ?? 0) & 0x7f;
  if (isTextVif(vif)) return { quantity: text ?? "", unit: "-", exponent: 0 };
  if (vif === toFirst) return firstExtension.get(next) ?? reserved;
  if (vif === toSecond) return secondExtension.get(next) ?? reserved;
  return primary.get(vif & 0x7f) ?? reserved;
}
