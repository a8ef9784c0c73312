// Runs under the counting plugin, bundled into one file: a command that changes a role, as Graph carries it out
// and as a bare submission, with a mark before and after each window of turns.
//
//   node graph.mjs graph|submit
import { type CloudStates, Sharing } from "@ledge/cloud";
import { Graph } from "@ledge/cloud/graph";
import { cloudAggregates } from "@ledge/cloud/model";
import { openKernel } from "@ledge/kernel";
import { memoryLog } from "@ledge/log";
import type { Command, LoggedEvent } from "@ledge/model";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { warmTurns, windows, windowTurns } from "./windows.ts";

const [name = ""] = process.argv.slice(2);
const [hubId, owner, user] = ["hub", "owner", "user"];
const log = memoryLog();
const event = (type: string, id: string, fields: object): LoggedEvent => {
  return { type, id, version: 1, origin: "system", depth: 0, ...fields };
};
await log.append({
  timestamp: 1,
  events: [
    ...[owner, user].map((id) => event("AccountAdded", id, { email: `${id}@example.org`, nickname: id })),
    event("HubRegistered", hubId, { identity: { kty: "OKP", crv: "Ed25519", x: "x".repeat(43) } }),
    event("HubSeen", hubId, { name: "Cabin", release: "1.14.15.1", features: [5] }),
    event("HubClaimed", hubId, { owner, from: "" }),
    event("InvitationAccepted", hubId, { user, role: roles.IDENTIFIED_USER }),
  ],
});
const clock = new SimulatedClock();
const kernel = openKernel<CloudStates>({
  log,
  clock,
  aggregates: cloudAggregates,
  categories: [],
  reactions: [],
  epochEvent: "",
  newId: () => "id",
  timeTrusted: () => true,
  onFatal: (error) => {
    throw error;
  },
  pause: () => Promise.resolve(),
  release: "bench",
});
const parts = {
  cloud: { kernel, sharing: new Sharing({ kernel } as never), logShares: { secondsUntil: () => 0 } },
  clock,
  random: (size: number) => new Uint8Array(size).fill(7),
  logger: { info: () => {} },
};
const graph = new Graph(parts as never);
const { signal } = new AbortController();
const asking = { signal };
const caller = { account: owner, address: "192.0.2.1" };

const paths: Readonly<Record<string, (turn: number) => Promise<unknown>>> = {
  graph: (turn) => {
    const role = turn % 2 === 0 ? "REMOTEGUEST" : "USER";
    return graph.answer(
      { command: { type: "SetUserRoleHubCommand", hubId, userId: user, role } },
      caller,
      "command",
      asking,
    );
  },
  submit: (turn) => {
    const role = turn % 2 === 0 ? roles.REMOTE_GUEST : roles.IDENTIFIED_USER;
    const command = { type: "SET_ROLE", id: hubId, by: owner, user, role } as Command;
    return kernel.submit({ commands: [command], origin: `user:${owner}` });
  },
};
const path = paths[name];
if (path === undefined) throw new Error(`no path is called ${name}`);

// A heap that has held much collects less often. How much a start leaves in it says nothing about the paths.
for (let round = 0; round < 40; round++) Array.from({ length: 50_000 }, (_, at) => ({ at }));

let turn = 0;
await run(warmTurns);
process.geteuid?.();
for (let window = 0; window < windows; window++) {
  await run(windowTurns);
  process.geteuid?.();
}
const users = kernel.get("authorizations", hubId)?.users ?? [];
if (!users.some(({ role }) => role === roles.IDENTIFIED_USER))
  throw new Error("the role has not changed back: the command was refused");
process.exit(0);

async function run(turns: number): Promise<void> {
  for (const end = turn + turns; turn < end; turn++) {
    // A minute's allowance for the user never runs out.
    clock.advance(1000);
    await path?.(turn);
  }
}
