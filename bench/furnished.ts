// A home in which every category of the poll has objects, as in one that is lived in.
import { roles } from "@ledge/model";
import { deviceId, type Home, openHome, report } from "./home.ts";

/** Objects of each category but devices. */
const ofEach = 100;

type Commands = readonly { readonly type: string; readonly [field: string]: unknown }[];

/** What fills the categories beside devices: number `index` of each. A scene with presets has an activator. */
function furniture(index: number): Commands {
  const device = deviceId(index);
  const presets = { on: { targetIds: [device], state: { isOn: true } } };
  const config = {
    name: `Rule ${index}`,
    configType: "BENCH",
    inputs: { lamp: [device] },
    outputs: {},
    extras: {},
  };
  return [
    { type: "CMD_ROOM", name: `Room ${index}` },
    { type: "CMD_ZONE", name: `Zone ${index}` },
    { type: "CMD_GROUP", name: `Group ${index}`, members: [device] },
    { type: "CMD_SCENE", name: `Scene ${index}`, presets },
    { type: "SET_RULE", config },
    {
      type: "ADD_USER",
      id: `user${index}`,
      email: `user${index}@example.org`,
      nickname: `User ${index}`,
      phone: null,
      role: roles.IDENTIFIED_USER,
    },
    {
      type: "RAISE_ALERT",
      msg_id: "SCENE_INCOMPLETE",
      parameters: { name: `Scene ${index}` },
      sourceId: `scene${index}`,
      error: true,
      userId: null,
    },
    { type: "RAISE_ALARM", kind: "ADAPTER_FAILED", sourceId: `adapter${index}`, name: `Adapter ${index}` },
  ];
}

/**
 * A home with 100 objects of every category beside its devices.
 * @returns the home, and a cursor after which one object of each of the ten categories has changed.
 */
export async function openFurnishedHome(devices: number): Promise<{ home: Home; cursor: number }> {
  const home = await openHome(devices);
  for (let index = 0; index < ofEach; index++) await put(home, furniture(index));
  const cursor = home.kernel.timestamp;
  // Another scene could exclude any other: of scenes, and of their activators, one gets another name.
  const added = furniture(ofEach).filter(({ type }) => type !== "CMD_SCENE");
  const [scene] = [...home.kernel.all("scene")][0] ?? [];
  await put(home, [...added, { type: "CMD_SCENE", id: scene, name: "Evening" }, report(devices - 1, 7)]);
  return { home, cursor };
}

async function put({ clock, submit }: Home, commands: Commands): Promise<void> {
  clock.advance(1);
  const outcome = await submit([...commands]);
  if (!outcome.accepted) throw new Error(outcome.rejection.message);
}
