import { clientRows } from "./client-rows.ts";
import { deviceCommandRows } from "./device-command-rows.ts";
import { egressRows } from "./egress-rows.ts";
import { callRows, hubApiRows } from "./hub-api-rows.ts";
import { hubRows } from "./hub-rows.ts";
import { hubsRows } from "./hubs-rows.ts";
import { operationRows } from "./operation-rows.ts";
import { registerCommandRows } from "./register-command-rows.ts";
import { registerRows } from "./register-rows.ts";
import { resourceGroupRows } from "./resource-group-rows.ts";
import { resourceRows } from "./resource-rows.ts";
import type { Row } from "./row.ts";
import { siteCommandRows } from "./site-command-rows.ts";
import { siteRows } from "./site-rows.ts";
import { subscribeRows } from "./subscribe-rows.ts";
import { subscriptionRows } from "./subscription-rows.ts";
import { templateRows } from "./template-rows.ts";
import { tenantRows } from "./tenant-rows.ts";

/** Every type of message. */
export const graphRows: readonly Row[] = [
  ...hubsRows,
  ...hubRows,
  ...hubApiRows,
  ...callRows,
  ...subscribeRows,
  ...registerRows,
  ...registerCommandRows,
  ...deviceCommandRows,
  ...tenantRows,
  ...subscriptionRows,
  ...resourceGroupRows,
  ...resourceRows,
  ...siteRows,
  ...siteCommandRows,
  ...egressRows,
  ...templateRows,
  ...clientRows,
  ...operationRows,
];
