import type { Why } from "@ledge/model";

/** Since when (ms) a device is as it is, and by what, in the hub's words. */
export interface Cause {
  readonly at: number;
  readonly text: string;
}

/** Returns the last change of a device with what led to it; undefined without one. */
export function causeOf({ links }: Pick<Why, "links">): Cause | undefined {
  const [change, before] = links;
  return change && { at: change.at, text: (before ?? change).text };
}

/** Returns whether an answer still says why a device is as it is. @param state of the device now */
export function isOfNow(
  { attribute, value }: Pick<Why, "attribute" | "value">,
  state: Readonly<Record<string, unknown>>,
): boolean {
  return attribute !== null && JSON.stringify(state[attribute]) === JSON.stringify(value);
}
