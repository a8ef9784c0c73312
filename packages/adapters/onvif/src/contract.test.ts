import { adapterContract, type ContractWorld } from "@ledge/port/contract";
import { SimulatedCamera } from "@ledge/testkit/onvif";
import { createAdapter } from "./index.ts";

async function makeWorld(): Promise<ContractWorld> {
  const options = { login: { username: "admin", password: "secret" }, seesMotion: true };
  const yard = await new SimulatedCamera({ ...options, serial: "1" }).listen();
  const stray = await new SimulatedCamera({ serial: "2", moves: true }).listen();
  const stalling = await new SimulatedCamera({ serial: "3" }).listen();
  stalling.trouble = "slowPictures";
  const udp = await stray.announce();
  const at = (id: string, { port }: SimulatedCamera): object => ({ id, name: id, host: "127.0.0.1", port });
  // The password of the camera lies in no file here: it takes any login whose password is empty.
  yard.password = "";
  const camera = { ...at("yard", yard), username: "admin" };
  const common = { localTargets: true, discovery: { address: "127.0.0.1", port: udp } };
  const wrongCamera = (wrong: object): object => ({ ...common, cameras: [{ ...camera, ...wrong }] });
  return {
    module: new URL("./index.ts", import.meta.url),
    create: () => createAdapter(() => 0.5),
    settings: { ...common, cameras: [camera, at("slow", stalling)] },
    vanishing: { ...common, cameras: [camera] },
    wrong: [
      { settings: null, field: "settings" },
      { settings: { cameras: {} }, field: "cameras" },
      { settings: { cameras: [camera, camera] }, field: "cameras[1].id" },
      { settings: wrongCamera({ port: 0 }), field: "cameras[0].port" },
      { settings: wrongCamera({ host: "a/b" }), field: "cameras[0].host" },
      { settings: wrongCamera({ passwordFile: "/nowhere/at-all" }), field: "cameras[0].passwordFile" },
      { settings: wrongCamera({ username: undefined, passwordFile: "/x" }), field: "cameras[0].username" },
      { settings: { ...common, discovery: { address: "::1" } }, field: "discovery.address" },
    ],
    taken: { native: "yard", command: { type: "snapshot" } },
    slow: { native: "slow", command: { type: "snapshot" } },
    vanish: () => yard.unplug(),
    restore: async () => void (await yard.listen()),
    dispose: async () => {
      await Promise.all([yard, stray, stalling].map((each) => each.close()));
    },
  };
}

adapterContract("ONVIF", makeWorld, { finds: "Ledge/2", answers: { type: "SEARCH" } }, ["in process"]);
// Other adapters show that pairing and requests cross a process.
adapterContract("ONVIF", makeWorld, {}, ["forked"]);
