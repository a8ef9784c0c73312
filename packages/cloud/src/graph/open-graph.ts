import { deleting } from "../operations/deleting.ts";
import { Operations } from "../operations/operations.ts";
import { restarting } from "../operations/restarting.ts";
import { syncing } from "../operations/syncing.ts";
import { tracking } from "../operations/tracking.ts";
import { Leaving } from "../registers/leaving.ts";
import { Registers } from "../registers/registers.ts";
import type { Replication } from "../replication/replication.ts";
import { Cursors } from "./cursors.ts";
import { Graph } from "./graph.ts";
import { HubCalls } from "./hub-calls.ts";
import type { GraphParts } from "./parts.ts";

/** What Graph is made of. */
export type GraphOptions = Omit<
  GraphParts,
  "cursors" | "hubCalls" | "operations" | "registers" | "leaving"
> & {
  readonly replication: Replication;
};

/** Opens Graph over a cloud and its relay. Operations that a restart has interrupted go on. */
export function openGraph(options: GraphOptions): Graph {
  const hubCalls = new HubCalls(options.relay, options.cloud);
  const parts = { ...options, hubCalls };
  const restart = restarting("/hub/restart", parts);
  const reboot = restarting("/hub/reboot", parts);
  const deletion = deleting(options.cloud);
  const works = {
    DeleteSubscriptionCommand: deletion,
    DeleteResourceGroupCommand: deletion,
    DeleteResourceCommand: deletion,
    RestartHubCommand: restart,
    RebootHubCommand: reboot,
    RestartHubDeviceRegisterCommand: restart,
    RebootHubDeviceRegisterCommand: reboot,
    SyncHubCommand: syncing(options),
    RegisterHubDeviceRegisterCommand: syncing(options),
    ExecuteDeviceRegisterCommand: tracking(parts),
  };
  const operations = new Operations({ ...options, works });
  const { kernel, registers: store, bus, digests, tenancy } = options.cloud;
  const { gateways } = tenancy;
  const cursorKey = Buffer.from(digests.of("cursor"));
  const registers = new Registers({ ...options, kernel, store, bus, gateways, cursorKey });
  const leaving = new Leaving({ ...options, registers });
  return new Graph({ ...parts, operations, registers, leaving, cursors: new Cursors(cursorKey) });
}
