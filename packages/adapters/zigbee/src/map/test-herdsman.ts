import { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import type { Zh } from "zigbee-herdsman-converters/lib/types";
import type { NodeFacts } from "./facts.ts";

/** A frame that zigbee-herdsman encoded for a device. */
export interface SentFrame {
  readonly kind: string;
  readonly endpoint: number;
  readonly cluster: string;
  readonly payload: unknown;
}

interface Frame {
  readonly cluster: { readonly name: string };
  readonly command: { readonly name: string };
  readonly payload: unknown;
  toBuffer(): Buffer;
}

const require = createRequire(import.meta.url);
const { Device } = require("zigbee-herdsman/dist/controller/model/device.js") as {
  Device: {
    create(...about: readonly unknown[]): Zh.Device;
    resetCache(): void;
    injectDatabase(database: object): void;
    injectAdapter(adapter: object): void;
  };
};

const silent = { debug() {}, info() {}, warning() {}, error() {} };
(require("zigbee-herdsman/dist/utils/logger.js") as { setLogger(log: object): void }).setLogger(silent);

/** Stores nothing: each test has its own device. */
const database = {
  newID: () => 1,
  insert: () => undefined,
  update: () => undefined,
  remove: () => undefined,
  has: () => false,
  *getEntriesIterator() {},
};

/** Sends nothing, but encodes and records every frame. */
class Recorder extends EventEmitter {
  readonly sent: SentFrame[] = [];
  readonly hasZdoMessageOverhead = false;

  sendZclFrameToEndpoint(_ieee: string, _nwk: number, endpoint: number, frame: Frame): Promise<undefined> {
    frame.toBuffer();
    const { cluster, command, payload } = frame;
    this.sent.push({ kind: command.name, endpoint, cluster: cluster.name, payload });
    return Promise.resolve(undefined);
  }

  sendZdo(): Promise<readonly unknown[]> {
    this.sent.push({ kind: "zdo", endpoint: 0, cluster: "", payload: undefined });
    return Promise.resolve([0, {}]);
  }
}

/**
 * Returns zigbee-herdsman's objects for a device that does not exist; frames to it are encoded and recorded.
 */
export function herdsmanDevice(node: NodeFacts): {
  readonly device: Zh.Device;
  readonly coordinator: Zh.Endpoint;
  readonly sent: readonly SentFrame[];
} {
  const recorder = new Recorder();
  Device.injectDatabase(database);
  Device.injectAdapter(recorder);
  Device.resetCache();
  const about = [
    undefined,
    node.manufacturer ?? undefined,
    node.powerSource ?? undefined,
    node.model ?? undefined,
  ];
  const device = Device.create(node.type, node.ieee, 0x1234, ...about, "SUCCESSFUL", undefined);
  for (const facts of node.endpoints) {
    const endpoint = device.createEndpoint(facts.id);
    Object.assign(endpoint, {
      profileID: facts.profile,
      deviceID: facts.device,
      inputClusters: [...facts.input],
      outputClusters: [...facts.output],
    });
    for (const [cluster, values] of Object.entries(facts.values ?? {}))
      endpoint.saveClusterAttributeKeyValue(cluster, { ...values });
  }
  const stick = Device.create(
    "Coordinator",
    "0x00124b0000000001",
    0,
    undefined,
    "",
    "",
    "",
    "SUCCESSFUL",
    undefined,
  );
  return { device, coordinator: stick.createEndpoint(1), sent: recorder.sent };
}
