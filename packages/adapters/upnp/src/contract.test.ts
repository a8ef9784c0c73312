import { adapterContract, type ContractWorld } from "@ledge/port/contract";
import { SimulatedRenderer } from "@ledge/testkit/upnp";
import { createAdapter } from "./index.ts";

async function makeWorld(): Promise<ContractWorld> {
  const [sofa, stray, stuck] = await Promise.all(
    ["uuid:1", "uuid:2", "uuid:3"].map((udn) => new SimulatedRenderer({ udn, hasDirectory: true }).listen()),
  );
  if (sofa === undefined || stray === undefined || stuck === undefined) throw new Error("no renderers");
  stuck.hangs = true;
  const udp = await stray.announce();
  const at = (id: string, { port }: SimulatedRenderer): object => ({
    id,
    name: id,
    host: "127.0.0.1",
    port,
    path: "/description.xml",
  });
  const common = { localTargets: true, pollEveryMs: 500, discovery: { address: "127.0.0.1", port: udp } };
  const wrongRenderer = (wrong: object): object => ({
    ...common,
    renderers: [{ ...at("sofa", sofa), ...wrong }],
  });
  return {
    module: new URL("./index.ts", import.meta.url),
    create: () => createAdapter(() => 0.5),
    settings: { ...common, renderers: [at("sofa", sofa), at("stuck", stuck)] },
    vanishing: { ...common, renderers: [at("sofa", sofa)] },
    wrong: [
      { settings: null, field: "settings" },
      { settings: { ...common, renderers: [at("sofa", sofa), at("sofa", sofa)] }, field: "renderers[1].id" },
      { settings: wrongRenderer({ port: 0 }), field: "renderers[0].port" },
      { settings: wrongRenderer({ host: "a/b" }), field: "renderers[0].host" },
      { settings: wrongRenderer({ path: "x" }), field: "renderers[0].path" },
      { settings: { ...common, pollEveryMs: 1 }, field: "pollEveryMs" },
      { settings: { ...common, discovery: { address: "x" } }, field: "discovery.address" },
    ],
    taken: { native: "sofa", command: { type: "set", attributes: { isOn: true } } },
    slow: { native: "stuck", command: { type: "set", attributes: { isOn: true } } },
    vanish: () => sofa.unplug(),
    restore: async () => void (await sofa.listen()),
    dispose: async () => {
      await Promise.all([sofa, stray, stuck].map((each) => each.close()));
    },
  };
}

adapterContract("UPnP", makeWorld, { finds: "uuid:2", answers: { type: "GET_QUEUE", native: "sofa" } }, [
  "in process",
]);
// Other adapters show that pairing and requests cross a process.
adapterContract("UPnP", makeWorld, {}, ["forked"]);
