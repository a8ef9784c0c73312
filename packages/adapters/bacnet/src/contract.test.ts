import type { ContractWorld } from "@ledge/port/contract";
import { adapterContract } from "@ledge/port/contract";
import { createAdapter } from "./index.ts";
import type { StoredPoint } from "./map/point.ts";
import { settingsFor, startDevice } from "./testdata/rig.ts";

const point: StoredPoint = {
  native: "1001/binaryOutput/1/a",
  deviceId: 1001,
  address: null,
  lastAddress: null,
  type: "binaryOutput",
  instance: 1,
  capability: "CONTROL_POWER",
  unit: 95,
  states: 0,
  commandable: true,
  name: "Fan",
  vendor: null,
  model: null,
  priority: 16,
};
const away: StoredPoint = { ...point, native: "1002/binaryOutput/1/b", deviceId: 1002 };

/** A device that answers, and one that is not there. */
async function makeWorld(): Promise<ContractWorld> {
  const device = await startDevice();
  const settings = settingsFor(device, { timeoutMs: 700, retries: 0, pollMs: 100, covLifetimeS: 0 });
  return {
    module: new URL("./index.ts", import.meta.url),
    create: () => createAdapter(() => 0.5),
    settings,
    vanishing: { ...settings, timeoutMs: 150 },
    stored: [
      ["devices", ["1001", "1002"]],
      ["device/1001", [point]],
      ["device/1002", [away]],
    ],
    wrong: [
      { settings: null, field: "settings" },
      { settings: { ...settings, port: 70_000 }, field: "port" },
      { settings: { ...settings, broadcast: "all" }, field: "broadcast" },
      { settings: { ...settings, bbmd: { address: "bbmd.example" } }, field: "bbmd.address" },
      { settings: { ...settings, bbmd: {} }, field: "bbmd.address" },
      { settings: { ...settings, mystery: 1 }, field: "mystery" },
    ],
    taken: { native: point.native, command: { type: "set", attributes: { isOn: true } } },
    slow: { native: away.native, command: { type: "set", attributes: { isOn: true } } },
    vanish: () => device.down(),
    restore: () => device.up(),
    dispose: () => device.down(),
  };
}

adapterContract("BACnet", makeWorld, { answers: { type: "GET_BACNET_DEVICES" } });
