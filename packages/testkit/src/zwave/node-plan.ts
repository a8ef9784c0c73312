import type { MockNodeBehavior, MockNodeOptions } from "@zwave-js/testing";

/** A device that can join a Z-Wave network: what it is, and how it behaves beyond the library's defaults. */
export interface NodePlan {
  readonly capabilities: NonNullable<MockNodeOptions["capabilities"]>;
  readonly behaviours: readonly MockNodeBehavior[];
  /** Whether it can join by Long Range as well as by the mesh. */
  readonly hasLongRange?: boolean;
}
