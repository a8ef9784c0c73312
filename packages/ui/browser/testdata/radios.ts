import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BrokerClient, Mosquitto } from "@ledge/testkit/mqtt";
import { type ServedStick, serveStick, SimulatedRflink } from "@ledge/testkit/rf433";

/** A gateway for codes of 433 MHz, and a broker to which another passes on what it hears of Bluetooth sensors. */
export interface Radios {
  /** The settings of their adapters, by protocol. */
  readonly adapters: object;
  readonly gateway: ServedStick<SimulatedRflink>;
  /** The Bluetooth sensor `Sensor 80A5` says what it measures, encrypted. */
  speak(): Promise<void>;
  close(): Promise<void>;
}

export async function startRadios(): Promise<Radios> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-ui-radios-"));
  const gateway = await serveStick(new SimulatedRflink());
  const broker = await Mosquitto.start(folder);
  const air = await BrokerClient.join(broker.url);
  const transport = { type: "tcp", host: "127.0.0.1", port: gateway.port };
  return {
    adapters: {
      rf433: { gateways: [{ name: "hall", transport, devices: [] }] },
      mqtt: { broker: { url: broker.url }, sources: { ble: ["home/+/BTtoMQTT/#"] } },
    },
    gateway,
    speak: () =>
      air.say("home/OMG/BTtoMQTT/5448E68F80A5", {
        id: "54:48:E6:8F:80:A5",
        servicedatauuid: "0xfcd2",
        servicedata: "41a47266c95f730011223378237214",
      }),
    async close() {
      await air.leave();
      await Promise.all([gateway.close(), broker.kill()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
