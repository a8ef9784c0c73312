import { Fault } from "./fault.ts";
import type { IdentifyRequest } from "./request.ts";

/** How a device names itself (application protocol v1.1b3, 6.21). Absent: it does not say. */
export interface Identification {
  readonly manufacturer?: string;
  readonly model?: string;
  readonly revision?: string;
  /** All texts by the numbers of their objects: 0 maker, 1 product code, 2 revision, 4 product, 5 model. */
  readonly objects: Readonly<Record<number, string>>;
}

/** A device that never ends is not asked more often. */
const mostRequests = 16;
const longestText = 100;
const illegalValues = new Set([0x01, 0x03]);

/**
 * Reads how a device names itself: its regular objects, or the basic ones of a device that has no more.
 * @param ask sends a request to the device.
 * @throws Fault
 */
export async function readIdentification(
  ask: (request: IdentifyRequest) => Promise<readonly number[]>,
): Promise<Identification> {
  try {
    return named(await objectsOf(ask, 2));
  } catch (error) {
    if (!(error instanceof Fault) || !illegalValues.has(error.exception)) throw error;
    return named(await objectsOf(ask, 1));
  }
}

async function objectsOf(
  ask: (request: IdentifyRequest) => Promise<readonly number[]>,
  level: 1 | 2,
): Promise<ReadonlyMap<number, string>> {
  const all = new Map<number, string>();
  let object = 0;
  for (let request = 0; request < mostRequests; request++) {
    const { objects, next } = parsed(await ask({ kind: "identify", level, object }));
    for (const [id, text] of objects) all.set(id, text);
    if (next === undefined || next <= object) break;
    object = next;
  }
  return all;
}

/** @param bytes of an answer after its interface: level, conformity, more follows, next, count, objects. */
function parsed(bytes: readonly number[]): {
  readonly objects: ReadonlyMap<number, string>;
  readonly next: number | undefined;
} {
  const [, , more = 0, next = 0, count = 0] = bytes;
  const objects = new Map<number, string>();
  let at = 5;
  // Some devices count the objects of all their answers together.
  for (let index = 0; index < count && at + 2 <= bytes.length; index++) {
    const [id = 0, length = 0] = bytes.slice(at, at + 2);
    if (at + 2 + length > bytes.length)
      throw new Fault("garbled", "an object of the identification is cut off");
    objects.set(id, printable(bytes.slice(at + 2, at + 2 + length)));
    at += 2 + length;
  }
  return { objects, next: more === 0 || objects.size === 0 ? undefined : next };
}

function printable(bytes: readonly number[]): string {
  const text = bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCodePoint(byte) : " ")).join("");
  return text.trim().slice(0, longestText);
}

function named(objects: ReadonlyMap<number, string>): Identification {
  const first = (...ids: number[]): string | undefined => ids.map((id) => objects.get(id)).find(Boolean);
  const [manufacturer, model, revision] = [first(0), first(5, 4, 1), first(2)];
  return {
    ...(manufacturer !== undefined && { manufacturer }),
    ...(model !== undefined && { model }),
    ...(revision !== undefined && { revision }),
    objects: Object.fromEntries(objects),
  };
}
