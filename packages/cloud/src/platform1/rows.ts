import { registers } from "./registers.ts";
import type { Row1 } from "./row.ts";
import { sites } from "./sites.ts";
import { subscriptionRows1 } from "./subscriptions.ts";
import { tenants } from "./tenants.ts";

/** Every endpoint of the platform 1.0 API. */
export const rows1: readonly Row1[] = [...tenants, ...subscriptionRows1, ...registers, ...sites];
