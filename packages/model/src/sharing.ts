import Type from "typebox";
import type { Decision } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";

/** What the owner may let the cloud keep of the home: nothing, or the states of devices and the alarms. */
export const shares = ["none", "states"] as const;
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
  { id, share: before }: { readonly id: string; readonly share: Share },
): Decision<ShareSet> {
  return share === before ? [] : [{ type: "ShareSet", id, share }];
}

/** Returns the share of an event; a value of a later release shares nothing. */
export function shareIn({ share }: Pick<ShareSet, "share">): Share {
  return shares.find((known) => known === share) ?? "none";
}
