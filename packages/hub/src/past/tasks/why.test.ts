import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type Asker, Refused } from "@ledge/api";
import { logFolder } from "@ledge/host/folder";
import { indexLog } from "@ledge/history";
import { type Kernel, openKernel } from "@ledge/kernel";
import { openLmdbLog } from "@ledge/log";
import { aggregates, type Command, type Origin, roles, upcasters, type Why } from "@ledge/model";
import { addLamp, SimulatedClock, temporaryFolder } from "@ledge/testkit";
import { kernelParts } from "../../start/kernel-parts.ts";
import { LogReader } from "../log-reader.ts";
import { carryOut } from "./index.ts";

interface Home {
  readonly reader: LogReader;
  readonly kernel: Kernel;
  readonly hubId: string;
  readonly indexFolder: string;
  /** The number of commits that were read from the log since this was set to 0. */
  reads: number;
  run(command: object, origin?: Origin, cause?: `request:${string}`): Promise<string>;
  index(): Promise<void>;
}

async function open(context: TestContext): Promise<Home> {
  const folder = temporaryFolder();
  const log = await openLmdbLog({ folder: logFolder(folder.path), upcasters });
  const clock = new SimulatedClock();
  const onFatal = (error: Error): never => assert.fail(error);
  const kernel = openKernel({ ...kernelParts, log, clock, timeTrusted: () => true, onFatal });
  context.after(async () => {
    await kernel.close();
    folder.remove();
  });
  const run: Home["run"] = async (command, origin = "system", cause) => {
    const submission = { commands: [command as Command], origin, ...(cause && { cause }) };
    const outcome = await kernel.submit(submission);
    assert.ok(outcome.accepted, JSON.stringify(outcome));
    return (outcome.results[0] as { id: string }).id;
  };
  const hubId = await run({ type: "CREATE_HUB", name: "Cabin", timezone: "Europe/Helsinki" });
  const indexFolder = join(folder.path, "index");
  const index = async (): Promise<void> => {
    await indexLog({
      log,
      folder: indexFolder,
      aggregates,
      quotaBytes: 1e9,
      free: () => 1e9,
      verify: false,
      onRebuild: (problem) => assert.fail(problem),
      onProgress: () => {},
    });
  };
  const reader = new LogReader({ log, hubId, version: "1.14.15.1", monotonic: () => 0 });
  const home: Home = { reader, kernel, hubId, indexFolder, reads: 0, run, index };
  const read = log.read.bind(log);
  log.read = function* (after, until) {
    for (const commit of read(after, until)) {
      home.reads++;
      yield commit;
    }
  };
  return home;
}

function askerOf(role: number, user: string | null = null): Asker {
  return { viewer: { role, user, since: 0 }, language: "en" };
}

const admin = askerOf(roles.USER_ADMIN);

function ask({ reader, indexFolder }: Home, args: { id: string; attribute?: string }, asker = admin): Why {
  reader.begin(1000, indexFolder);
  return carryOut("why", reader, args, asker) as Why;
}

test("reads the history of an object from the index, and newer events from the log", async (context) => {
  const home = await open(context);
  const room = await home.run({ type: "CMD_ROOM", name: "Attic" });
  await home.run({ type: "CMD_ROOM", id: room, name: "Loft" });
  for (let order = 0; order < 500; order++) await home.run({ type: "CMD_ROOM", name: `${order}` });
  home.reads = 0;
  const whole = ask(home, { id: room, attribute: "name" });
  const readWithout = home.reads;
  await home.index();
  home.reads = 0;
  assert.deepEqual(ask(home, { id: room, attribute: "name" }).links, whole.links);
  assert.ok(home.reads < readWithout / 10, `${home.reads} of ${readWithout}`);
  await home.run({ type: "CMD_ROOM", id: room, name: "Roof" });
  const newest = ask(home, { id: room, attribute: "name" });
  assert.deepEqual([newest.value, newest.links.map(({ type }) => type)], ["Roof", ["RoomRenamed"]]);
});

test("shows who acted to administrators and to the user, and the way of access to everybody", async (context) => {
  const home = await open(context);
  const user = "ann";
  const person = { email: "ann@example.org", nickname: "Ann", phone: null, role: roles.IDENTIFIED_USER };
  await home.run({ type: "ADD_USER", id: user, ...person });
  const lamp = await home.run(addLamp());
  const said = async (by: string): Promise<readonly string[]> => {
    const state = { isOn: home.kernel.get("device", lamp)?.state["isOn"] !== true };
    const command = await home.run({ type: "CMD_DEVICE", id: lamp, state }, "user:ann", `request:${by}-1`);
    const ref = [...home.reader.log.read(home.kernel.timestamp - 1)].map(
      ({ timestamp, events }) => `${timestamp}-${events.findIndex(({ id }) => id === command)}` as const,
    )[0];
    assert.ok(ref !== undefined);
    const confirmed = { origin: "user:ann", cause: ref, root: `request:${by}-1`, depth: 1 } as const;
    const report = { type: "REPORT_DEVICE", id: lamp, attributes: state, at: home.kernel.now() } as Command;
    await home.kernel.submit({ commands: [report], ...confirmed });
    const others = [admin, askerOf(roles.IDENTIFIED_USER, user), askerOf(roles.IDENTIFIED_USER, "bob")];
    return others.map((asker) => {
      const { text = "", origin = "" } = ask(home, { id: lamp, attribute: "isOn" }, asker).links[1] ?? {};
      return `${origin}: ${text.replace(/ told.*/, "")}`;
    });
  };
  assert.deepEqual(await said("remote"), [
    "user:ann: Ann, over the internet,",
    "user:ann: Ann, over the internet,",
    "user: A user, over the internet,",
  ]);
  assert.equal((await said("local"))[0], "user:ann: Ann, in the local network,");
  assert.equal((await said("x"))[0], "user:ann: Ann");
  const status = (id: string, asker: Asker): number | undefined => {
    const answer: unknown = ask(home, { id }, asker);
    return answer instanceof Refused ? answer.status : 200;
  };
  assert.deepEqual(
    [admin, askerOf(roles.IDENTIFIED_USER, user), askerOf(roles.IDENTIFIED_USER, "bob")].map((asker) => [
      status(user, asker),
      status(home.hubId, asker),
    ]),
    [
      [200, 200],
      [200, 404],
      [404, 404],
    ],
  );
});

test("does not show guests a hidden object", async (context) => {
  const home = await open(context);
  const lamp = await home.run(addLamp());
  await home.run({ type: "CMD_DEVICE_VISIBLE", id: lamp, visible: false });
  const answer: unknown = ask(home, { id: lamp }, askerOf(roles.GUEST));
  assert.ok(answer instanceof Refused && answer.status === 404);
  assert.equal(ask(home, { id: lamp, attribute: "visible" }).links[0]?.type, "DeviceVisibilitySet");
});
