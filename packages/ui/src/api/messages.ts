// Rows about the servers that bring messages to phones.
import { type Answer, call } from "./call.ts";

export const targetKinds = ["ntfy", "gotify", "matrix"] as const;
export type TargetKind = (typeof targetKinds)[number];

/** Which alarms go to a target: those of a level and above, or none. */
export const targetAlarms = ["info", "warn", "err", "none"] as const;

/** MESSAGE_TARGET: where messages to a user go. */
export interface MessageTarget {
  readonly id: string;
  readonly user: string;
  readonly kind: TargetKind;
  readonly name: string;
  readonly url: string;
  /** Of ntfy the topic, of Matrix the id of the room; null of Gotify. */
  readonly topic: string | null;
  readonly hasToken: boolean;
  readonly alarms: (typeof targetAlarms)[number];
  /** Its server may be in the home's own network. */
  readonly local: boolean;
}

/** What is set of a target; left out is unchanged. Without an id it is new. */
export type WantedTarget = Partial<Omit<MessageTarget, "hasToken" | "local">> & {
  /** Null: none. */
  readonly token?: string | null;
};

export function messageTargets(
  signal: AbortSignal,
): Promise<Answer<Readonly<Record<string, MessageTarget>>>> {
  return call("/hub/messagetargets", { signal });
}

export function setTarget(wanted: WantedTarget): Promise<Answer<readonly MessageTarget[]>> {
  return call("/hub/messagetargets", { method: "PUT", body: [{ type: "MESSAGE_TARGET", ...wanted }] });
}

export function removeTarget(targetId: string): Promise<Answer<true>> {
  return call("/hub/messagetargets", { method: "DELETE", query: { targetId } });
}

/** Puts a test message on its way. */
export function testTarget(targetId: string): Promise<Answer<true>> {
  return call("/hub/messagetargets/test", { method: "POST", query: { targetId } });
}
