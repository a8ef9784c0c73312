import { defineEvent, type EventOf } from "@ledge/model";
import Type from "typebox";
import type { CloudDecider } from "./states.ts";

/** This cloud itself. A log contains exactly one. */
export interface Installation {
  readonly id: string;
  /** `digestKey` (base64url) keys the digests that the log contains instead of addresses and passwords. */
  readonly secrets: { readonly digestKey: string };
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    installation: Installation;
  }
}

export interface InstallationCommand {
  type: "FOUND_CLOUD";
  digestKey: string;
}

const CloudFounded = defineEvent("CloudFounded", 1, { digestKey: Type.String() }, ["digestKey"]);

export type InstallationEvent = EventOf<typeof CloudFounded>;

/** The id of the one installation. */
export const installationId = "cloud";

export const installation: CloudDecider<Installation, InstallationCommand, InstallationEvent> = {
  kind: "installation",
  commands: ["FOUND_CLOUD"],
  events: [CloudFounded],
  secrets: ["secrets"],
  target: () => installationId,
  decide: ({ digestKey }, state) =>
    state === undefined ? [{ type: "CloudFounded", id: installationId, digestKey }] : [],
  evolve: (_, { id, digestKey }, timestamp) => ({ id, secrets: { digestKey }, timestamp }),
};
