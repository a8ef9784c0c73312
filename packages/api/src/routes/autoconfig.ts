import { allows, type AutoConfig, Id } from "@ledge/model";
import Type from "typebox";
import { type DcAutoConfig, DcAutoConfig as Body, filledIn } from "../autoconfig/body.ts";
import { AutoConfigDifferences } from "../autoconfig/differences.ts";
import { AutoConfiguration } from "../autoconfig/run.ts";
import { stepsOf } from "../autoconfig/steps.ts";
import { inTurn } from "../autoconfig/turns.ts";
import { changesRights, undoing } from "../autoconfig/undo.ts";
import { forbidden, invalid, notFound, Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import { submitFor, unconfigurable } from "../submit.ts";

export const autoconfig = row({
  method: "PUT",
  path: "/hub/autoconfig",
  summary: "Sets up names, rooms, devices, scenes and rules at once; a dry run says what that would change",
  access: "USER_ADMIN",
  query: Type.Object({ dryRun: Type.Optional(Type.Boolean()) }),
  body: Body,
  wholeHome: true,
  result: Type.Union([Type.Literal(true), AutoConfigDifferences]),
  handle: (call) => inTurn(call.hub.kernel, () => configure(call.body, call.query.dryRun === true, call)),
});

/** AUTO_CONFIG_RUN: what became of one autoconfiguration. `changes` counts objects. */
const Run = Type.Object({
  type: Type.Literal("AUTO_CONFIG_RUN"),
  id: Id,
  name: Type.String(),
  startedAt: Type.Integer(),
  state: Type.Enum(["running", "done", "stopped", "undone"]),
  problem: Type.Union([Type.String(), Type.Null()]),
  changes: Type.Integer(),
});

/** What is added to the spec's row. */
export const autoconfigRuns = [
  row({
    method: "GET",
    path: "/hub/autoconfig",
    summary: "The last autoconfigurations, the newest first",
    access: "USER_ADMIN",
    past: "USER_ADMIN",
    result: Type.Array(Run),
    handle: (call) =>
      runsOf(call).map(({ changes, ...run }) => ({
        type: "AUTO_CONFIG_RUN" as const,
        ...run,
        changes: changes.length,
      })),
  }),
  row({
    method: "PUT",
    path: "/hub/autoconfig/undo",
    summary: "Takes back all that an autoconfiguration has changed, the last one unless told which",
    access: "USER_ADMIN",
    query: Type.Object({ id: Type.Optional(Id) }),
    result: Type.Literal(true),
    handle: (call) => inTurn(call.hub.kernel, () => undo(call.query.id, call)),
  }),
];

const rightsAreOwners = "the owner alone says who sees and configures devices";

async function configure(
  body: DcAutoConfig,
  isDryRun: boolean,
  call: Call,
): Promise<true | Type.Static<typeof AutoConfigDifferences> | Refused> {
  if (!call.admitted()) return forbidden("the right to do this has ended while it waited");
  if (setsRights(body) && !allows("OWNER_ADMIN", call.caller.role)) return forbidden(rightsAreOwners);
  const filled = filledIn(body);
  if (!("config" in filled)) return invalid(filled);
  const { config } = filled;
  const refused = unconfigurable(call, config.removedDevices ?? []);
  if (refused !== undefined) return refused;
  const steps = stepsOf(config, call.hub.hubId);
  if (steps.some((step) => "message" in step)) return invalid(steps as Parameters<typeof invalid>[0]);
  const work = new AutoConfiguration(
    call,
    config.name,
    steps as Exclude<typeof steps, Parameters<typeof invalid>[0]>,
  );
  const differences = await work.rehearse();
  if (differences instanceof Refused) return differences;
  if (isDryRun) return { type: "AUTO_CONFIG_DIFFERENCES", name: config.name, differences: [...differences] };
  // What is so already is not done again, and no run is remembered for it.
  return differences.length === 0 ? true : work.carryOut();
}

function setsRights({ devices }: DcAutoConfig): boolean {
  return Object.values(devices ?? {}).some((device) =>
    [device, ...(device.config_commands ?? [])].some(
      ({ visible, locked }) => (visible ?? null) !== null || (locked ?? null) !== null,
    ),
  );
}

/** The newest first. */
function runsOf({ hub }: Call): AutoConfig[] {
  const runs = [...hub.kernel.all("autoconfig")].map(([, run]) => run);
  return runs.toSorted((a, b) => b.startedAt - a.startedAt);
}

async function undo(id: string | undefined, call: Call): Promise<true | Refused> {
  if (!call.admitted()) return forbidden("the right to do this has ended while it waited");
  const run = runsOf(call).find((each) => (id === undefined ? each.state !== "undone" : each.id === id));
  if (run === undefined) return notFound(id === undefined ? "nothing to undo" : `no autoconfiguration ${id}`);
  if (changesRights(run) && !allows("OWNER_ADMIN", call.caller.role)) return forbidden(rightsAreOwners);
  return submitFor(call, undoing(run), true as const);
}
