import assert from "node:assert/strict";
import { test } from "node:test";
import { addLamp, openTestKernel } from "@ledge/testkit";
import { reactions } from "./index.ts";

test("marks the devices of an absent adapter unreachable, except those heard of and those of others", async () => {
  const { kernel, accept } = openTestKernel({ reactions });
  const add = (native: string, protocol = "sim"): Promise<string> =>
    accept({ ...addLamp(native, native), protocol, radio: "air" });
  const [one, heard, other] = [await add("1"), await add("2"), await add("1", "other")];
  await accept({ type: "NOTE_ADAPTER", id: "sim", state: "running", reason: null });
  for (const id of [one, heard, other])
    await accept({ type: "REPORT_DEVICE", id, attributes: { reachable: true }, at: kernel.now() });
  await accept({ type: "NOTE_ADAPTER_AWAY", id: "sim", reason: "killed", at: kernel.now(), spared: [heard] });
  const reachable = [one, heard, other].map((id) => kernel.get("device", id)?.state["reachable"]);
  assert.deepEqual(reachable, [false, true, true]);
  assert.equal(kernel.size("timer"), 0, "its adapter is told of, not each device");
  await accept({ type: "NOTE_ADAPTER", id: "sim", state: "running", reason: null });
  assert.equal(kernel.size("timer"), 1);
});
