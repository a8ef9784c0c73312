import type { AdapterHost, AdapterRequest, DeviceDescription, NativeId, RequestTable } from "@ledge/port";
import { AdapterError } from "@ledge/port";

const zigbeeKey = "zigbee";
const zigbeeDefaults = { channel: 15, power: 5, ignore_reachability: false };
type Zigbee = typeof zigbeeDefaults;

/** The radio that `zigbeesettings` configure. */
export const zigbeeRadio = "air";

/** Whether the Zigbee radio treats its devices as always reachable. */
export function ignoresReachability({ store }: Pick<AdapterHost, "store">): boolean {
  return (store.get(zigbeeKey) as Partial<Zigbee> | undefined)?.ignore_reachability === true;
}

/** Devices that no window finds: a request of their own pairs each. */
export const pairedByRequest = { plug433: "433/plug", bacnetSensor: "bacnet/1001/analogInput/1" } as const;

const kinds433 = [
  { type: "433_PAIR_INFO", id: "plug", name: "Plug with a remote", manufacturer: "Ledge" },
] as const;

const bacnetHost = {
  type: "BACNET_HOST",
  identifier: "1001 analogInput 1",
  objectId: 1,
  objectType: "analogInput",
  address: "192.0.2.10",
  deviceId: 1001,
  objectName: "Supply air",
  vendorName: "Ledge",
  modelName: "Air handler",
  possibleDevices: ["TEMPERATURE"],
  deviceObjects: {},
} as const;

/** Options of `radios`. */
export interface RadiosOptions {
  readonly host: () => AdapterHost;
  readonly has: (native: NativeId) => boolean;
  /** The devices of the home. */
  readonly devices: () => readonly DeviceDescription[];
  /** Adds a device to the home. */
  readonly join: (native: NativeId) => Promise<void>;
  /** The frame counters of the Zigbee radio. */
  readonly frames: () => { readonly sent: number; readonly unanswered: number };
  /** Called when the settings of the Zigbee radio have changed. */
  readonly changed: () => void;
}

/** Settings and pairing of the home's radios: a Zigbee network, a 433 MHz transmitter, a BACnet line. */
export function radios({ host, has, devices, join, frames, changed }: RadiosOptions): RequestTable {
  const zigbee = (): Zigbee => ({ ...zigbeeDefaults, ...(host().store.get(zigbeeKey) as Partial<Zigbee>) });
  let isScanned = false;
  return {
    GET_ZIGBEE_STATUS: async () => ({
      connected: true,
      has_network: true,
      firmware: "simulated",
      ...zigbee(),
      stats: { tx_successful: frames().sent, tx_err_no_ack: frames().unanswered },
    }),
    SET_ZIGBEE: async (request) => {
      const { type: _, ...wanted } = request;
      await host().store.put(zigbeeKey, { ...zigbee(), ...wanted });
      changed();
      return true;
    },
    SCAN_ZIGBEE: async () => {
      const { channel } = zigbee();
      return Array.from({ length: 16 }, (_, index) => ({
        channel: 11 + index,
        energy: 11 + index === channel ? 120 : 20 + ((index * 37) % 60),
      }));
    },
    GET_ZIGBEE_MAP: async () => starOf(devices(), host().clock.now()),
    GET_433_DEVICES: async () => kinds433,
    PAIR_433: async ({ id }) => {
      if (!kinds433.some((kind) => kind.id === id))
        throw new AdapterError("refused", `id: no kind ${String(id)}`);
      await join(pairedByRequest.plug433);
      return true;
    },
    SCAN_BACNET_DEVICE: async () => {
      isScanned = true;
      return true;
    },
    GET_BACNET_DEVICES: async () => {
      const alreadyPaired = has(pairedByRequest.bacnetSensor);
      return isScanned ? { [bacnetHost.identifier]: { ...bacnetHost, alreadyPaired } } : {};
    },
    PAIR_BACNET_DEVICE: async (request) => {
      assertBacnet(request);
      await join(pairedByRequest.bacnetSensor);
      return true;
    },
  };
}

/** Lists every device of the Zigbee radio as a child of the coordinator. */
function starOf(devices: readonly DeviceDescription[], at: number): object {
  const coordinator = {
    ieee: "coordinator",
    nwk: 0,
    type: "Coordinator",
    manufacturer: "Ledge",
    model: null,
  };
  const others = devices
    .filter(({ radio }) => radio === zigbeeRadio)
    .map(({ native, manufacturer, model }, index) => ({
      ieee: native,
      nwk: index + 1,
      type: "EndDevice",
      manufacturer,
      model,
    }));
  const nodes = [coordinator, ...others].map((node) => ({
    ...node,
    lastSeen: at,
    answered: node.nwk === 0 ? true : null,
    missing: false,
  }));
  const near = { lqi: 200, depth: 1, relationship: "child", routes: [] };
  const links = others.map(({ ieee }) => ({ from: coordinator.ieee, to: ieee, ...near }));
  return { at, complete: true, nodes, links };
}

function assertBacnet({ deviceId, objectType, objectId, capability }: AdapterRequest): void {
  const isThere =
    deviceId === bacnetHost.deviceId &&
    objectType === bacnetHost.objectType &&
    objectId === bacnetHost.objectId;
  if (!isThere) throw new AdapterError("refused", "deviceId: no such object was found");
  if (capability !== "TEMPERATURE") throw new AdapterError("refused", "capability: must be TEMPERATURE");
}
