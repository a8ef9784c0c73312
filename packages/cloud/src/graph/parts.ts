import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import type { Cloud } from "../cloud.ts";
import type { Receivers } from "../egress/receivers.ts";
import type { Allowances } from "../http/allowances.ts";
import type { CloudMail } from "../mail/cloud-mail.ts";
import type { Operations } from "../operations/operations.ts";
import type { Leaving } from "../registers/leaving.ts";
import type { Registers } from "../registers/registers.ts";
import type { Relay } from "../relay/relay.ts";
import type { Cursors } from "./cursors.ts";
import type { Subscriptions } from "../push/watching.ts";
import type { HubCalls } from "./hub-calls.ts";

/** What the rows of Graph can use. */
export interface GraphParts {
  readonly cloud: Cloud;
  readonly mail: CloudMail;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cursors: Cursors;
  readonly hubCalls: HubCalls;
  readonly watching: Subscriptions;
  readonly relay: Relay;
  readonly operations: Operations;
  readonly registers: Registers;
  readonly receivers: Receivers;
  readonly leaving: Leaving;
  /** Counts invitations together with those over HTTP. */
  readonly allowances: Allowances;
  readonly newId: () => string;
  readonly random: (size: number) => Uint8Array;
}
