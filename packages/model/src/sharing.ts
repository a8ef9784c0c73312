import Type from "typebox";
import type { Decision } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import type { Hub, Share as ShareName } from "./hub-state.ts";

export const shares = ["none", "states"] as const satisfies readonly ShareName[];
export const Share = Type.Enum([...shares]);
export type Share = Type.Static<typeof Share>;

/** SHARING: what the cloud keeps of the home. */
export const Sharing = Type.Object({ type: Type.Literal("SHARING"), share: Share });

export const SetShare = Type.Object({ type: Type.Literal("SET_SHARE"), id: Type.String(), share: Share });

export const ShareSet = defineEvent("ShareSet", 1, { share: Type.String() });
export type ShareSet = EventOf<typeof ShareSet>;

/** Decides what the cloud may keep from now on. */
export function decideShare(
  { share }: Pick<Type.Static<typeof SetShare>, "share">,
  { id, share: before }: Pick<Hub, "id" | "share">,
): Decision<ShareSet> {
  return share === before ? [] : [{ type: "ShareSet", id, share }];
}

/** Returns the share of an event; a value of a later release shares nothing. */
export function shareIn({ share }: Pick<ShareSet, "share">): Share {
  return shares.find((known) => known === share) ?? "none";
}
