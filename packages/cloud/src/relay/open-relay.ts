import type { Clock } from "@ledge/kernel";
import type { CloneKind } from "@ledge/link/tunnel";
import type { VerifiedToken } from "../accounts/logins.ts";
import type { Cloud } from "../cloud.ts";
import { relayPeers } from "../cluster/relay-peers.ts";
import { timeOf } from "../model/submitting.ts";
import { Relay, type RelayBounds } from "./relay.ts";

/**
 * Opens the relay of a cloud. Tells a hub at once when its list of users has changed; a hub without a tunnel
 * asks for the list when it dials again.
 */
export function openRelay(
  cloud: Cloud,
  clock: Pick<Clock, "monotonic" | "after">,
  onError: (error: Error) => void,
  bounds?: RelayBounds,
): Relay {
  const { kernel, issuer, logins, hubs, clones, sharing, signingKeys, cluster } = cloud;
  const ports = {
    processOf: (token: string) => hubs.processOf(token),
    newestOf: (hubId: string) => hubs.newestOf(hubId),
    cloned: (hubId: string, kind: CloneKind) => clones.note(hubId, kind),
    verified: async (token: string) => {
      const verified = await logins.verified(token);
      return typeof verified === "string" ? undefined : verified;
    },
    known: (token: string) => logins.known(token),
    accountOf: (token: VerifiedToken) => logins.live(token)?.account.id,
    grantedBy: (account: string, hubId: string) => sharing.grantedBy(account, hubId),
    featuresOf: (hubId: string) => kernel.get("registration", hubId)?.features ?? [],
    issuer,
    keys: () => signingKeys.keySet,
    now: () => timeOf(kernel),
    clock,
    onError,
    ...(cluster && { peers: relayPeers(cluster.link, clock) }),
  };
  const relay = new Relay(ports, bounds);
  signingKeys.onReplaced(() => relay.beginAnew());
  cloud.onHubRemoved((hubId) => relay.tunnels.end(hubId));
  cloud.onAuthorizations((hubId, seq) => void relay.announce(hubId, seq));
  return relay;
}
