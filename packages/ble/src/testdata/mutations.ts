import { BleError, decodeAdvertisement, fromHex, parseAdvertisement } from "../index.ts";
import { type Example, examples } from "./examples.ts";

/** Returns a whole number from 0 up to `below`, exclusive. */
type Below = (below: number) => number;

/** Bytes that lead somewhere: ids of objects, lengths, flags. */
const special = [
  0x00, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0f, 0x10, 0x16, 0x3a, 0x3c, 0x40, 0x41, 0x44, 0x50, 0x53, 0x54, 0x58,
  0x7f, 0x80, 0xf1, 0xff,
];

const frames = examples.map(({ hex }) => fromHex(hex));

/** Returns an example of which the bytes have one to three changes. */
export function mutatedExample(below: Below): { readonly example: Example; readonly bytes: Uint8Array } {
  const at = below(examples.length);
  let bytes = [...(frames[at] as Uint8Array)];
  for (let changes = 1 + below(3); changes > 0; changes -= 1) bytes = changed(bytes, below);
  return { example: examples[at] as Example, bytes: Uint8Array.from(bytes.slice(0, 255)) };
}

function changed(bytes: readonly number[], below: Below): number[] {
  const at = below(bytes.length + 1);
  const byte = below(2) === 0 ? below(256) : (special[below(special.length)] as number);
  switch (bytes.length === 0 ? 1 : below(6)) {
    case 0:
      return bytes.with(Math.min(at, bytes.length - 1), byte);
    case 1:
      return [...bytes.slice(0, at), byte, ...bytes.slice(at)];
    case 2:
      return bytes.toSpliced(at, 1 + below(4));
    case 3:
      return bytes.slice(0, at);
    case 4: {
      const other = frames[below(frames.length)] as Uint8Array;
      return [...bytes.slice(0, at), ...other.subarray(below(other.length))];
    }
    default:
      return bytes.map((old, i) => (i >= at && i < at + 3 ? old ^ (1 << below(8)) : old));
  }
}

/**
 * Decodes mutated bytes with and without a key, and as raw advertising data.
 * @returns `outcome`: `decoded` or the code of the error. `problems`: what must not happen, such as another error.
 */
export function tryMutated({ example, bytes }: { readonly example: Example; readonly bytes: Uint8Array }): {
  readonly outcome: string;
  readonly problems: readonly string[];
} {
  const { address, uuid, company } = example;
  const problems: string[] = [];
  const attempt = (key: Uint8Array | undefined): string => {
    const services = new Map(uuid === undefined ? [] : [[uuid, bytes] as const]);
    const manufacturers = new Map(company === undefined ? [] : [[company, bytes] as const]);
    try {
      const reading = decodeAdvertisement({ services, manufacturers }, address, key);
      const { measurements = [], events = [] } = reading ?? {};
      if (measurements.length + events.length > bytes.length)
        problems.push(`${bytes.length} bytes made ${measurements.length} values, ${events.length} events`);
      for (const { quantity, value } of measurements)
        if (typeof value === "number" && !Number.isFinite(value)) problems.push(`${quantity} is ${value}`);
      return "decoded";
    } catch (error) {
      if (error instanceof BleError) return error.code;
      problems.push(`thrown: ${String(error)}`);
      return "thrown";
    }
  };
  const outcome = attempt(undefined);
  attempt(new Uint8Array(16));
  attempt(example.key === undefined ? new Uint8Array(15) : fromHex(example.key));
  try {
    parseAdvertisement(bytes);
  } catch (error) {
    problems.push(`as advertising data: ${String(error)}`);
  }
  return { outcome, problems };
}
