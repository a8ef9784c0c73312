import { callRows, hubApiRows } from "./hub-api-rows.ts";
import { hubRows } from "./hub-rows.ts";
import { hubsRows } from "./hubs-rows.ts";
import type { Row } from "./row.ts";

/** Every type of message. */
export const graphRows: readonly Row[] = [...hubsRows, ...hubRows, ...hubApiRows, ...callRows];
