import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry } from "@ledge/api";
import { at } from "../cli/at.ts";
import { audit } from "../cli/audit.ts";
import { bisect } from "../cli/bisect.ts";
import { undo } from "../cli/undo.ts";
import { ledge, TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();
const run = (...args: string[]): ReturnType<typeof ledge> => ledge(...args, "--data", home.folder);

async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...args, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

test("ledge at, undo, audit and bisect show past states and restore them", async () => {
  await home.hub.homeAnnounced(home.key);
  const { id } = await home.device("Floor lamp");
  await home.call("PUT", "/devices", [{ type: "CMD_DEVICE_META", id, name: "Reading lamp" }]);
  const renamed = (await home.device("Reading lamp")).timestamp;
  const nameAt = async (time: number): Promise<string | undefined> =>
    (await json<Record<string, Named>>("at", String(time), "devices"))[id]?.name;
  assert.deepEqual([await nameAt(renamed - 1), await nameAt(renamed)], ["Floor lamp", "Reading lamp"]);
  const text = await run("at", "2026-01-01T00:00", "rooms");
  assert.equal(text.code, 3);
  assert.match(text.stderr, /the log goes back to/);
  assert.match((await run("at", String(renamed))).stdout, /Reading lamp .*isOn=/);
  assert.match((await run("at", String(renamed), "hub")).stdout, /hubId=/);

  const predicate = JSON.stringify({ "==": [{ var: `devices.${id}.name` }, "Reading lamp"] });
  const found = await json<{ since: number; isBefore: boolean; events: { event: { type: string } }[] }>(
    "bisect",
    "--predicate",
    predicate,
  );
  assert.deepEqual(
    [found.since, found.isBefore, found.events.map(({ event }) => event.type)],
    [renamed, false, ["DeviceRenamed"]],
  );
  const never = await run("bisect", "--predicate", predicate, "--to", String(renamed - 1));
  assert.deepEqual([never.code, never.stdout.startsWith("the predicate is false at")], [1, true]);

  assert.match((await run("undo", "device", "Reading lamp")).stdout, /is undone/);
  assert.equal((await home.device("Floor lamp")).id, id);
  assert.match((await run("undo", "device", id, "--to", String(renamed - 1))).stdout, /is as it was/);

  // The kind tells the room from the lamp of the same name.
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Den" }]);
  const room = Object.values((await home.call("GET", "/rooms")).json as Record<string, Named>).find(
    ({ name }) => name === "Den",
  );
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", id: room?.id, name: "Floor lamp" }]);
  assert.match(
    (await run("undo", "room", "floor LAMP")).stdout,
    new RegExp(`^room ${room?.id}: .*is undone`),
  );
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", id: room?.id, name: "Floor lamp" }]);
  const either = await run("audit", "--id", "Floor lamp");
  assert.deepEqual([either.code, /several are called Floor lamp/.test(either.stderr)], [2, true]);

  const entries = (await run("audit", "--count", "3", "--id", id, "--json")).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditEntry);
  assert.deepEqual(
    entries.map(({ type, from }) => [type, from]),
    [
      ["DeviceRenamed", "console"],
      ["DeviceRenamed", "local"],
    ],
  );
  assert.match(
    (await run("audit", "--from", "-1h")).stdout,
    /Owner, in the local network, named it Reading lamp/,
  );
});

test("a name cannot add lines to the output or send control characters to the terminal", async () => {
  const name = "Cellar\n1795375583149-0 2026-01-01T00:00:00.000Z local Owner named it mine\u001b[2J\u009b2J";
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", name }]);
  const room = Object.values((await home.call("GET", "/rooms")).json as Record<string, Named>).find(
    (one) => one.name === name,
  );
  const { stdout } = await run("audit", "--id", room?.id ?? "");
  assert.equal(stdout.trim().split("\n").length, 1, stdout);
  for (const text of [
    stdout,
    (await run("at", "now", "rooms")).stdout,
    (await run("why", room?.id ?? "")).stdout,
  ]) {
    assert.match(text, /Cellar/);
    assert.ok(!text.includes("\u001b") && !text.includes("\u009b"), text);
  }
});

for (const [command, positionals, options] of [
  [at, [], {}],
  [at, ["tomorrow"], {}],
  [at, ["now", "weather"], {}],
  [undo, ["room"], {}],
  [undo, ["user", "x"], {}],
  [undo, ["room", "x"], { to: "then" }],
  [audit, [], { count: "0" }],
  [audit, [], { from: "then" }],
  [bisect, [], {}],
  [bisect, [], { predicate: "{" }],
  [bisect, [], { predicate: '{"eval":"1"}' }],
  [bisect, [], { predicate: '{"var":"secrets.key"}' }],
] as const)
  test(`wrong usage: ${command.words} ${positionals.join(" ")} ${JSON.stringify(options)}`, () => {
    assert.throws(() => command.check?.({ positionals, options }), { name: "CliError", exitCode: 2 });
  });

test("wrong usage exits with 2, and a refusal of the hub with 3", async () => {
  assert.equal((await run("at", "tomorrow")).code, 2);
  const { code, stderr } = await run("undo", "room", "nowhere");
  assert.deepEqual([code, stderr], [3, "ledge: no room nowhere\n"]);
});
