import { adapterContract, type ContractWorld } from "@ledge/port/contract";
import { serveStick, SimulatedRflink } from "@ledge/testkit/rf433";
import { createAdapter } from "./index.ts";

const socket = {
  id: "lamp",
  name: "Lamp",
  kind: "socket",
  protocol: "NewKaku",
  address: "0cac142",
  unit: "3",
} as const;

async function makeWorld(): Promise<ContractWorld> {
  const near = new SimulatedRflink();
  const served = await serveStick(near);
  const silent = new SimulatedRflink();
  silent.mood = "silent";
  const other = await serveStick(silent);
  // Somebody else's thermometer is heard all the time.
  const talk = setInterval(() => near.hear("Cresta;ID=3001;TEMP=00b0;HUM=50"), 50);
  const transport = { type: "tcp", host: "127.0.0.1", port: served.port };
  const gateway = { name: "hall", transport, devices: [socket] };
  const far = { ...gateway, name: "far", transport: { ...transport, port: other.port } };
  const wrong = (device: object): object => ({
    gateways: [{ ...gateway, devices: [{ ...socket, ...device }] }],
  });
  const receiver = { name: "roof", source: { type: "tcp", host: "127.0.0.1", port: 1 } };
  return {
    module: new URL("./index.ts", import.meta.url),
    create: () => createAdapter(() => 0.5),
    settings: { gateways: [gateway, far] },
    vanishing: { gateways: [gateway] },
    wrong: [
      { settings: null, field: "settings" },
      {
        settings: { gateways: [{ ...gateway, transport: { type: "udp" } }] },
        field: "gateways[0].transport.type",
      },
      { settings: { gateways: [gateway, gateway] }, field: "gateways[1].name" },
      { settings: wrong({ address: "1;2" }), field: "gateways[0].devices[0].address" },
      { settings: wrong({ kind: "toaster" }), field: "gateways[0].devices[0].kind" },
      {
        settings: { gateways: [{ ...gateway, devices: ["a.b", "a_b"].map((id) => ({ ...socket, id })) }] },
        field: "gateways[0].devices[1].id",
      },
      {
        settings: { receivers: [{ ...receiver, name: "hall" }], gateways: [gateway] },
        field: "receivers[0].name",
      },
      {
        settings: { receivers: [{ ...receiver, devices: [socket] }] },
        field: "receivers[0].devices[0].kind",
      },
      {
        settings: { receivers: [{ ...receiver, source: { type: "program" } }] },
        field: "receivers[0].source.path",
      },
      {
        settings: { receivers: [{ ...receiver, source: { type: "mqtt", url: "mqtt://a:b@c" } }] },
        field: "receivers[0].source.url",
      },
    ],
    taken: { native: "hall/lamp", command: { type: "set", attributes: { isOn: true } } },
    slow: { native: "far/lamp", command: { type: "set", attributes: { isOn: true } } },
    vanish: () => served.unplug(),
    restore: () => served.plug(),
    dispose: async () => {
      clearInterval(talk);
      await served.close();
      await other.close();
    },
  };
}

adapterContract(
  "433 MHz",
  makeWorld,
  { sharesStart: true, finds: "hall/Cresta.3001", answers: { type: "GET_433_DEVICES" } },
  ["in process"],
);
// Other adapters show that pairing crosses a process.
adapterContract("433 MHz", makeWorld, { sharesStart: true, answers: { type: "GET_433_DEVICES" } }, [
  "forked",
]);
