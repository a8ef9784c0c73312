import { Operations } from "../operations/operations.ts";
import { restarting } from "../operations/restarting.ts";
import { Cursors } from "./cursors.ts";
import { Graph } from "./graph.ts";
import { HubCalls } from "./hub-calls.ts";
import type { GraphParts } from "./parts.ts";

/** What Graph is made of. */
export type GraphOptions = Omit<GraphParts, "cursors" | "hubCalls" | "operations">;

/** Opens Graph over a cloud and its relay. Operations that a restart has interrupted go on. */
export function openGraph(options: GraphOptions): Graph {
  const hubCalls = new HubCalls(options.relay, options.cloud);
  const parts = { ...options, hubCalls };
  const restart = restarting("/hub/restart", parts);
  const reboot = restarting("/hub/reboot", parts);
  const works = {
    RestartHubCommand: restart,
    RebootHubCommand: reboot,
    RestartHubDeviceRegisterCommand: restart,
    RebootHubDeviceRegisterCommand: reboot,
  };
  const operations = new Operations({ ...options, works });
  return new Graph({ ...parts, operations, cursors: new Cursors(options.cloud.digests) });
}
