import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import type { Cloud } from "../cloud.ts";
import type { Bearers } from "../oauth/bearers.ts";
import type { CloudMail } from "../mail/cloud-mail.ts";
import type { LanAddresses } from "./lan-addresses.ts";

/** What every row can use. */
export interface Services {
  readonly cloud: Cloud;
  readonly mail: CloudMail;
  /** Says who stands behind a token at the platform. */
  readonly bearers: Bearers;
  readonly lan: LanAddresses;
  readonly clock: Clock;
  readonly logger: Logger;
}
