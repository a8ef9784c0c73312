import { SecurityClass } from "@zwave-js/core";
import type { MockNodeBehavior, MockNodeOptions } from "@zwave-js/testing";

/** A device that can join a Z-Wave network: what it is, and how it behaves beyond the library's defaults. */
export interface NodePlan {
  readonly capabilities: NonNullable<MockNodeOptions["capabilities"]>;
  readonly behaviours: readonly MockNodeBehavior[];
  /** Whether it can join by Long Range as well as by the mesh. */
  readonly hasLongRange?: boolean;
}

/** Returns what is different in a node that has joined by Long Range: it routes nothing, and has S2 with a PIN alone. */
export function ofLongRange({ capabilities }: NodePlan): Partial<NodePlan["capabilities"]> {
  const { S2_AccessControl, S2_Authenticated } = SecurityClass;
  const asked = capabilities.securityClasses ?? new Set();
  const securityClasses = new Set([S2_AccessControl, S2_Authenticated].filter((key) => asked.has(key)));
  return { isRouting: false, supportedDataRates: [100_000], securityClasses };
}
