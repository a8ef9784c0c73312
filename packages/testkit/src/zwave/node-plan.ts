import type { MockNodeBehavior, MockNodeOptions } from "@zwave-js/testing";

/** A device that can join a Z-Wave network: what it is, and how it behaves beyond the library's defaults. */
export interface NodePlan {
  readonly capabilities: NonNullable<MockNodeOptions["capabilities"]>;
  readonly behaviours: readonly MockNodeBehavior[];
}
