import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapterContract, type ContractWorld } from "@ledge/port/contract";
import { BrokerClient, Mosquitto } from "@ledge/testkit/mqtt";
import { createAdapter } from "./index.ts";

const plain = (id: string): object => ({
  id,
  name: `Relay ${id}`,
  points: [{ attribute: "isOn", topic: `${id}/state`, set: { topic: `${id}/set` } }],
});

/** A broker with a relay that does what it is told, and one that says nothing. */
async function makeWorld(): Promise<ContractWorld> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-mqtt-"));
  const broker = await Mosquitto.start(folder);
  let relay: BrokerClient | undefined;
  const plug = async (): Promise<void> => {
    relay = await BrokerClient.join(broker.url);
    relay.on("live/set", (payload) => void relay?.say("live/state", payload, true));
    await relay.say("live/state", "OFF", true);
  };
  await plug();
  const settings = { broker: { url: broker.url }, sources: { topics: [plain("live"), plain("mute")] } };
  const isOn = { type: "set", attributes: { isOn: true } } as const;
  return {
    module: new URL("./index.ts", import.meta.url),
    create: () => createAdapter(() => 0.5),
    settings,
    wrong: [
      { settings: null, field: "settings" },
      { settings: { ...settings, broker: { url: "http://x" } }, field: "broker.url" },
      { settings: { ...settings, broker: { url: "mqtt://a:b@x" } }, field: "broker.url" },
      { settings: { broker: { url: "mqtt://x", ca: "/ca" } }, field: "broker.ca" },
      { settings: { broker: { url: "mqtts://x", ca: "/nowhere" } }, field: "broker.ca" },
      { settings: { broker: { url: "mqtts://x", key: "/nowhere" } }, field: "broker.certificate" },
      { settings: { broker: { url: "mqtt://x", passwordFile: "/x" } }, field: "broker.username" },
      { settings: { ...settings, homeAssistant: { expose: ["all"] } }, field: "homeAssistant.expose[0]" },
      { settings: { ...settings, homeAssistant: { base: "a/+" } }, field: "homeAssistant.base" },
      {
        settings: { ...settings, sources: { topics: [plain("a"), plain("a")] } },
        field: "sources.topics[1].id",
      },
      {
        settings: { ...settings, sources: { topics: [{ ...plain("a"), points: [{ attribute: "isOn" }] }] } },
        field: "sources.topics[0].points[0].topic",
      },
      {
        settings: { ...settings, sources: { topics: [{ ...plain("a"), points: [{ attribute: "mood" }] }] } },
        field: "sources.topics[0].points[0].attribute",
      },
      { settings: { ...settings, sources: { topics: "/nowhere" } }, field: "sources.topics" },
      { settings: { ...settings, mystery: 1 }, field: "mystery" },
    ],
    taken: { native: "topics/live", command: isOn },
    slow: { native: "topics/mute", command: isOn },
    vanish: async () => {
      await relay?.leave();
      await broker.kill();
    },
    restore: async () => {
      await broker.restart();
      await plug();
    },
    dispose: async () => {
      await relay?.leave();
      await broker.kill();
      rmSync(folder, { recursive: true });
    },
  };
}

adapterContract("MQTT", makeWorld);
