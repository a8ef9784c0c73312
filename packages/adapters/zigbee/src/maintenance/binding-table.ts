import type { Models } from "zigbee-herdsman";
import type { BindTarget } from "../by-hand.ts";
import { insideOf } from "../library-inside.ts";
import type { Radio } from "../radio.ts";

/** Pages of a binding table at most: a broken device may promise entries for ever. */
const mostPages = 64;

/** A binding of a device. */
export interface Binding {
  readonly endpoint: number;
  readonly cluster: string;
  readonly to: BindTarget;
}

interface Page {
  readonly bindingTableEntries: number;
  readonly entryList: readonly {
    readonly sourceEndpoint: number;
    readonly clusterId: number;
    readonly destAddrMode: number;
    readonly dest: string | number;
    readonly destEndpoint?: number;
  }[];
}

/**
 * Reads the binding table of a device (Mgmt_Bind_req, Zigbee specification 2.4.3.3.4).
 * @throws AdapterError when the device refuses, is silent, or the network goes down
 */
export async function readBindings(radio: Radio, device: Models.Device): Promise<readonly Binding[]> {
  const { Zdo, Zcl } = await import("zigbee-herdsman");
  const cluster = Zdo.ClusterId.BINDING_TABLE_REQUEST;
  return await radio.use(async (controller) => {
    const { adapter } = insideOf(controller);
    const [hub] = controller.getDevicesByType("Coordinator");
    const found: Binding[] = [];
    if (adapter === undefined) return found;
    for (let page = 0; page < mostPages; page += 1) {
      const request = Zdo.Buffalo.buildRequest(adapter.hasZdoMessageOverhead, cluster, found.length);
      const answer = await adapter.sendZdo(device.ieeeAddr, device.networkAddress, cluster, request, false);
      const [status, table] = answer as [number, Page | undefined];
      if (status !== 0 || table === undefined)
        throw new Error(`the device answered ${Zdo.Status[status] ?? status}`);
      for (const { sourceEndpoint, clusterId, destAddrMode, dest, destEndpoint } of table.entryList) {
        const { name } = Zcl.Utils.getCluster(clusterId, device.manufacturerID, device.customClusters);
        const to: BindTarget =
          destAddrMode === 1
            ? { group: Number(dest) }
            : dest === hub?.ieeeAddr
              ? "hub"
              : { device: String(dest), endpoint: destEndpoint ?? 0 };
        found.push({ endpoint: sourceEndpoint, cluster: name, to });
      }
      if (table.entryList.length === 0 || found.length >= table.bindingTableEntries) break;
    }
    return found;
  });
}
