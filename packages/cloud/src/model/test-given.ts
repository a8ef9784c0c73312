import { given, type Given } from "@ledge/testkit";
import { cloudAggregates } from "./index.ts";
import type { CloudStates } from "./states.ts";

/** Like `given(...).when(...).then(...)`, with the aggregates of a cloud. */
export function givenCloud(events: Parameters<typeof given>[0] = []): Given<CloudStates> {
  return given<CloudStates>(events, cloudAggregates);
}

/** Returns the event of a new account, with the address `ada@example.org` for the id `ada`. */
export function accountAdded(id: string): { type: string; id: string; email: string; nickname: string } {
  return { type: "AccountAdded", id, email: `${id}@example.org`, nickname: id };
}

/** Returns the events of a hub's registration. */
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
