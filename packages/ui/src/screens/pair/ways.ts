import type { Kind433 } from "../../api/pairing.ts";

/** Which search somebody has chosen, and what is asked for besides. */
export type Way =
  | { readonly by: "zwave" | "mbus" }
  /** Of everything. `hasCameras`: some of what it finds may ask for a login. */
  | { readonly by: "search"; readonly hasCameras: boolean }
  | { readonly by: "433"; readonly kind: Kind433 };

/** Which way a device comes in: by a search, or by what somebody types or looks for on a bus. */
export type Entrance = Way | { readonly by: "modbus" | "bacnet" | "onvif" | "hue" };

/** How codes of 433 MHz come to the hub, or go from it. */
const learning = ["newkaku", "rts", "heard"] as const;

/** Returns how the code of a kind is learned, by the first part of its id; undefined where its name says all. */
export function learningOf({ id }: Pick<Kind433, "id">): (typeof learning)[number] | undefined {
  return learning.find((how) => id.startsWith(`${how}.`));
}
