import { given, type Given } from "@ledge/testkit";
import { cloudAggregates } from "./index.ts";
import type { CloudStates } from "./states.ts";

/** `given(...).when(...).then(...)` over the aggregates of a cloud. */
export function givenCloud(events: Parameters<typeof given>[0] = []): Given<CloudStates> {
  return given<CloudStates>(events, cloudAggregates);
}

/** The event that an account came about, for `ada@example.org` when its id is `ada`. */
export function accountAdded(id: string): { type: string; id: string; email: string; nickname: string } {
  return { type: "AccountAdded", id, email: `${id}@example.org`, nickname: id };
}

/** A hub's events of registering. */
export function hubRegistered(id = "hub"): { type: string; id: string }[] {
  const identity = { kty: "OKP", crv: "Ed25519", x: "x".repeat(43) };
  return [
    { type: "HubRegistered", id, identity } as { type: string; id: string },
    { type: "HubSeen", id, name: "Cabin", release: "1.14.15.1", features: [1] } as {
      type: string;
      id: string;
    },
  ];
}
