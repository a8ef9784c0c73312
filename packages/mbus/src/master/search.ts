import { addresses } from "../frame.ts";
import type { Identity } from "../header.ts";
import { MasterFault } from "./fault.ts";
import type { Master } from "./master.ts";

/** What a search found. */
export interface Found {
  readonly meters: readonly Identity[];
  /** Ids with which several meters answer that no mask tells apart. */
  readonly collisions: readonly string[];
  /** Meters that answer with something that cannot be read. */
  readonly unreadable: readonly Unreadable[];
}

/** `id` is the mask to which the meter answers: F stands for a digit that is not known. */
export interface Unreadable {
  readonly id: string;
  readonly reason: string;
}

const digits = Array.from("0123456789");
const anyId = "FFFFFFFF";

/**
 * Finds all meters of a bus by their secondary addresses. It selects with masks, from the first digit on, and goes into
 * those masks with which several answer. Many meters take minutes.
 * @param signal ends the search with MasterFault `cancelled`
 */
export async function searchSecondary(
  master: Pick<Master, "select" | "request" | "deselect">,
  signal?: AbortSignal,
  onFound: (meter: Identity) => void = () => {},
): Promise<Found> {
  const meters = new Map<string, Identity>();
  const collisions: string[] = [];
  const unreadable: Unreadable[] = [];
  const probe = async (id: string, depth: number): Promise<void> => {
    const answer = await whoAnswers(master, id, signal);
    if (answer === "none") return;
    if (answer !== "several" && "reason" in answer) {
      unreadable.push(answer);
      return;
    }
    if (answer !== "several") {
      const key = `${answer.id}/${answer.manufacturer}/${answer.version}/${answer.medium}`;
      if (!meters.has(key)) onFound(answer);
      meters.set(key, answer);
      return;
    }
    if (depth === anyId.length) {
      collisions.push(id);
      return;
    }
    for (const digit of digits) await probe(id.slice(0, depth) + digit + id.slice(depth + 1), depth + 1);
  };
  await probe(anyId, 0);
  await master.deselect(signal);
  return { meters: [...meters.values()], collisions, unreadable };
}

async function whoAnswers(
  master: Pick<Master, "select" | "request">,
  id: string,
  signal: AbortSignal | undefined,
): Promise<"none" | "several" | Identity | Unreadable> {
  const selected = await master.select({ id }, signal);
  if (selected !== "one") return selected;
  try {
    const telegram = await master.request(addresses.selected, signal);
    if (telegram.kind === "variable" && telegram.meter) return telegram.meter;
    return { id: telegram.kind === "fixed" ? telegram.id : id, manufacturer: "@@@", version: 0, medium: 0 };
  } catch (error) {
    // Acknowledgements of several meters look like one: only their data collides.
    if (!(error instanceof MasterFault)) throw error;
    const { code, message: reason } = error;
    if (code === "collision" || code === "silent") return "several";
    if (code === "cancelled" || code === "closed") throw error;
    return { id, reason };
  }
}

/**
 * Finds the addresses of the link layer at which something answers.
 * @param to the last address to try, at most 250
 */
export async function searchPrimary(
  master: Pick<Master, "initialise">,
  from: number = addresses.unconfigured,
  to: number = addresses.highestSlave,
  signal?: AbortSignal,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (let address = from; address <= to; address++)
    if (await master.initialise(address, signal)) found.push(address);
  return found;
}
