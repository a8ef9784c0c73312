import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { KernelOptions } from "@ledge/kernel";
import { aggregates, categories, EpochOpened } from "@ledge/model";
import { reactions } from "../reactions/index.ts";
import { release } from "../version.ts";

/** What every kernel of this hub is made of, whichever log it is opened over. */
export const kernelParts = {
  aggregates,
  categories,
  reactions,
  epochEvent: EpochOpened.type,
  newId: randomUUID,
  pause: () => setImmediate(),
  release,
} satisfies Partial<KernelOptions>;
