import { type Command, limits, Zigbee2mqttFiles } from "@ledge/model";
import Type from "typebox";
import { askFirst, noteAsked } from "../adapter-answers.ts";
import { whenBound } from "../bound.ts";
import { refusedToAdmins } from "../premium.ts";
import { invalid, notFound, Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import { submitFor } from "../submit.ts";

const noRadio = "this hub has no Zigbee radio";
const protocol = "zigbee";

const Folder = Type.Object({
  type: Type.Literal("ZIGBEE2MQTT_FOLDER"),
  dryRun: Type.Boolean({ description: "true: only says what would happen" }),
  files: Zigbee2mqttFiles,
});

const Text = Type.Union([Type.String(), Type.Null()]);
const planFields = {
  channel: Type.Integer(),
  panId: Type.Integer(),
  extendedPanId: Type.String(),
  hasBackup: Type.Boolean(),
  devices: Type.Array(
    Type.Object({
      native: Type.String(),
      name: Type.String(),
      class: Type.String(),
      capabilities: Type.Array(Type.String()),
      manufacturer: Text,
      model: Text,
    }),
  ),
  groups: Type.Array(
    Type.Object({ address: Type.Integer(), name: Type.String(), members: Type.Array(Type.String()) }),
  ),
  later: Type.Array(Type.Object({ ieee: Type.String(), name: Text })),
};
const Plan = Type.Object({ ...planFields });
type Plan = Type.Static<typeof Plan>;
const Imported = Type.Object({ type: Type.Literal("ZIGBEE_IMPORT"), dryRun: Type.Boolean(), ...planFields });
/** ZIGBEE_IMPORT: what an import has taken over, or would take over. */
export type ZigbeeImport = Type.Static<typeof Imported>;

/** The hub API knows no other programs: a home that moves to Ledge keeps its network, devices and groups. */
export const zigbeeImport = [
  row({
    method: "POST",
    path: "/hub/zigbeeimport",
    summary: "Takes over the network, devices and groups of Zigbee2MQTT; the owner alone where PREMIUM is on",
    access: "USER_ADMIN",
    body: Folder,
    result: Imported,
    async handle(call) {
      const refused = refusedToAdmins(call, "imports networks") ?? tooLong(call.body);
      if (refused !== undefined) return refused;
      const plan = await ask(call, true);
      if (plan instanceof Refused) return plan;
      const { dryRun } = call.body;
      const failed = dryRun ? undefined : await carryOut(call, plan);
      return failed ?? { type: "ZIGBEE_IMPORT" as const, dryRun, ...plan };
    },
  }),
];

type ImportCall = Call<unknown, Type.Static<typeof Folder>>;

function tooLong({ files }: Type.Static<typeof Folder>): Refused | undefined {
  const chars = Object.values(files).reduce((sum, text) => sum + text.length, 0);
  if (chars <= limits.importChars) return undefined;
  return invalid([{ field: "files", message: `are longer than ${limits.importChars} characters together` }]);
}

function ask({ hub, body: { files } }: ImportCall, dryRun: boolean): Promise<Plan | Refused> {
  const request = { type: "IMPORT_ZIGBEE2MQTT", files, dryRun };
  return askFirst<Plan>({ hub }, request, noRadio, { protocol, timeoutMs: limits.importMs });
}

/** The adapter goes first, because only it can fail; a repetition adds what is missing. */
async function carryOut(call: ImportCall, plan: Plan): Promise<Refused | undefined> {
  const refused = await noteAsked(call, "IMPORT_ZIGBEE2MQTT");
  if (refused !== undefined) return refused;
  const readded = await readd(call, plan);
  if (readded instanceof Refused) return readded;
  const done = await ask(call, false);
  if (done instanceof Refused) return done;
  return makeGroups(call, plan);
}

/** Adds devices again that a user has removed: the hub ignores what their adapter announces. */
function readd(call: ImportCall, { devices }: Plan): Promise<Refused | undefined> {
  const removed = new Map(
    [...call.hub.kernel.all("binding")].flatMap(([id, binding]) =>
      binding.protocol === protocol && binding.removed ? [[binding.native, id] as const] : [],
    ),
  );
  const commands = devices.flatMap(({ native, ...content }) => {
    const device = removed.get(native);
    if (device === undefined) return [];
    return [{ type: "ADD_DEVICE", device, protocol, native, radio: protocol, extras: {}, ...content }];
  });
  return submitFor(call, commands, undefined);
}

async function makeGroups(call: ImportCall, { groups }: Plan): Promise<Refused | undefined> {
  const commands: (Command & Readonly<Record<string, unknown>>)[] = [];
  for (const { name, address, members } of groups) {
    const ids = await Promise.all(
      members.map((native) => whenBound(call.hub, protocol, native, limits.requestMs)),
    );
    const missing = members.find((_, index) => ids[index] === undefined);
    if (missing !== undefined) return notFound(`the device ${missing} of the group ${name} is not there yet`);
    commands.push({ type: "IMPORT_GROUP", name, address, members: ids });
  }
  return submitFor(call, commands, undefined);
}
