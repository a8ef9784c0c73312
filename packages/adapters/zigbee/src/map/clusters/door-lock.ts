import type { ClusterMap } from "../cluster.ts";
import { codeFacts } from "../lock-facts.ts";
import { integer } from "../values.ts";

/** `lockState`: a lock that is not fully locked counts as open, to be safe. */
const lockStates: Readonly<Record<number, boolean>> = { 0: false, 1: true, 2: false };
/** `doorState`: open, closed, jammed, forced open. */
const doorStates: Readonly<Record<number, boolean>> = { 0: true, 1: false, 3: true };

/**
 * The empty PIN: an octet string of length 0 (ZCL 2.6.2.13). The library writes any falsy value as the invalid
 * octet string (ff), which locks refuse.
 */
const noPin = Buffer.alloc(0);

export const doorLock: ClusterMap = {
  cluster: "closuresDoorLock",
  id: 0x0101,
  capabilities: (endpoint) =>
    endpoint.values?.["closuresDoorLock"]?.["doorState"] === undefined ? ["LOCK"] : ["LOCK", "CONTACT"],
  facts: ["doorState", ...codeFacts],
  state: () => ["lockState"],
  reporting: () => [{ attribute: "lockState", minSeconds: 0, maxSeconds: 3600, change: 0 }],
  attributesOf(values) {
    const locked = lockStates[integer(values, "lockState", 0, 2) ?? -1];
    const open = doorStates[integer(values, "doorState", 0, 3) ?? -1];
    return { ...(locked !== undefined && { locked }), ...(open !== undefined && { open }) };
  },
  framesFor({ locked }) {
    if (typeof locked !== "boolean") return [];
    const payload = { pincodevalue: noPin };
    return [{ kind: "command", name: locked ? "lockDoor" : "unlockDoor", payload }];
  },
};
