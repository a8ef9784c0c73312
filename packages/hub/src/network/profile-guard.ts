import { isOwnOrLinkAddress } from "@ledge/link";
import type { Guard } from "@ledge/link/outgoing";

/**
 * Returns the guard of a profile: the addresses that a profile names may not lead to this machine or to its links,
 * unless it says so.
 */
export function profileGuard({ localTargets = false }: { readonly localTargets?: boolean }): Guard {
  return {
    mayAsk: (address) => localTargets || !isOwnOrLinkAddress(address),
    refusal: "is this machine or of its link, and the profile does not allow that (localTargets)",
  };
}
