import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandIssued } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { contentOf, openTestKernel } from "@ledge/testkit";
import { reactions } from "../reactions/index.ts";
import { batchesOf } from "./casts.ts";

const dimmer = ["DEVICE", "ON_OFF", "BRIGHTNESS"] as const;
const colour = [...dimmer, "COLOR_HS"] as const;

interface Bench extends TestKernel {
  readonly group: string;
  /** Ids of the members by their native ids. */
  readonly ids: Readonly<Record<string, string>>;
}

/** A group of the lamps `a` and `b`, the coloured `c` and `d`, and `w` on another radio. */
async function open(isAddressed = true): Promise<Bench> {
  const hub = openTestKernel({ reactions });
  const ids: Record<string, string> = {};
  for (const native of ["a", "b", "c", "d", "w"]) {
    const capabilities = native === "c" || native === "d" ? colour : dimmer;
    ids[native] = await hub.accept({
      type: "ADD_DEVICE",
      name: native,
      protocol: "sim",
      native,
      radio: native === "w" ? "wire" : "air",
      ...contentOf("LIGHT", capabilities),
    });
  }
  const group = await hub.accept({ type: "CMD_GROUP", name: "All", members: Object.values(ids) });
  if (isAddressed) await hub.accept({ type: "ADDRESS_GROUP", id: group });
  return { ...hub, group, ids };
}

type Issued = Pick<CommandIssued, "device" | "attributes" | "absolute" | "group" | "action">;

/** Commands to these members of a group, given by native ids such as `abcd`. */
const to = (
  { ids, group }: Bench,
  natives: string,
  attributes: object,
  more: Partial<Issued> = {},
): Issued[] =>
  natives.split("").map((native) => ({
    device: ids[native] ?? "",
    attributes: { ...attributes },
    absolute: true,
    group,
    ...more,
  }));

/** Batches as text: natives that go singly, `[natives]` of a cast. */
function batched(bench: Bench, commands: readonly Issued[], radios = ["air"]): string {
  const nativeOf = ({ device }: Issued): string => bench.kernel.get("binding", device)?.native ?? "";
  return batchesOf(commands, bench.kernel, (protocol, radio) => protocol === "sim" && radios.includes(radio))
    .map(({ commands: some, group }) => {
      assert.ok(group === null || group === bench.group);
      const natives = some.map(nativeOf).join("");
      return group === null ? natives : `[${natives}]`;
    })
    .join(" ");
}

const on = { isOn: true };
const off = { isOn: false };

test("casts once when all members of a group on a radio get the same, whatever members elsewhere get", async () => {
  const bench = await open();
  assert.equal(batched(bench, to(bench, "abcdw", on)), "[abcd] w");
  assert.equal(batched(bench, to(bench, "awbcd", on)), "[abcd] w");
  assert.equal(batched(bench, to(bench, "abcdw", on), []), "a b c d w");
});

test("sends singly when a cast would also reach a capable member that got no command", async () => {
  const bench = await open();
  assert.equal(batched(bench, to(bench, "abc", on)), "a b c");
  assert.equal(
    batched(bench, [...to(bench, "ab", on), ...to(bench, "cd", { isOn: true, hue: 1 })]),
    "a b c d",
  );
});

test("casts although a member is not able to do any of it", async () => {
  const bench = await open();
  assert.equal(batched(bench, to(bench, "cd", { hue: 1, saturation: 1 })), "[cd]");
  await bench.accept({ type: "REMOVE_DEVICE", id: bench.ids["b"] ?? "" });
  assert.equal(batched(bench, to(bench, "acd", on)), "[acd]");
});

test("sends impulses, actions, and commands to a group without an address singly", async () => {
  const bench = await open();
  assert.equal(batched(bench, to(bench, "abcd", on, { absolute: false })), "a b c d");
  assert.equal(batched(bench, to(bench, "abcd", {}, { action: "refresh" })), "a b c d");
  const other = await open(false);
  assert.equal(batched(other, to(other, "abcd", on)), "a b c d");
  assert.equal(batched(other, to(other, "abcd", on, { group: null })), "a b c d");
});

test("casts a scene or list that tells exactly the members of a group on a radio the same", async () => {
  const bench = await open();
  const none = { group: null };
  assert.equal(batched(bench, to(bench, "abcd", on, none)), "[abcd]");
  assert.equal(batched(bench, to(bench, "dwbca", on, none)), "[dbca] w");
  assert.equal(batched(bench, to(bench, "abc", on, none)), "a b c", "one of the group is not told");
  assert.equal(
    batched(bench, [...to(bench, "ab", on, none), ...to(bench, "cd", { hue: 1 }, none)]),
    "a b c d",
    "some are told something else",
  );
  assert.equal(batched(bench, to(bench, "abcd", on, { ...none, absolute: false })), "a b c d");
  assert.equal(batched(bench, to(bench, "abcd", on, none), []), "a b c d");
});

test("keeps the order per device when a group gets the same command twice", async () => {
  const bench = await open();
  const commands = [...to(bench, "abcd", on), ...to(bench, "abcd", off), ...to(bench, "abcd", on)];
  assert.equal(batched(bench, commands), "[abcd] [abcd] [abcd]");
  const one = [...to(bench, "abcd", on), ...to(bench, "a", off, { group: null }), ...to(bench, "abcd", on)];
  assert.equal(batched(bench, one), "[abcd] a [abcd]");
});
