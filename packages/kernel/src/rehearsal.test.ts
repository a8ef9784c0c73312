import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestKernel } from "@ledge/testkit";

const room = (name: string, id?: string): { type: string; name: string; id?: string } => ({
  type: "CMD_ROOM",
  name,
  ...(id !== undefined && { id }),
});

test("rehearsed submissions see the effects of those before them, and the kernel sees none", async () => {
  const home = openTestKernel();
  const hall = await home.accept(room("Hall"));
  const { timestamp } = home.kernel;
  const rehearsal = home.kernel.rehearse();
  const attic = rehearsal.submit({ commands: [room("Attic")], origin: "system" });
  assert.ok(attic.outcome.accepted);
  const [made] = attic.outcome.results as readonly { id: string }[];
  assert.ok(made);
  const renamed = rehearsal.submit({ commands: [room("Loft", made.id)], origin: "system" });
  assert.deepEqual(
    renamed.events.map(({ type, id }) => [type, id]),
    [["RoomRenamed", made.id]],
  );
  const both = [room("Cellar", hall), room("x", "nowhere")];
  assert.equal(rehearsal.submit({ commands: both, origin: "system" }).outcome.accepted, false);
  rehearsal.submit({ commands: [{ type: "REMOVE_ROOM", id: hall } as never], origin: "system" });
  assert.deepEqual([rehearsal.size("room"), rehearsal.get("room", made.id)?.name], [1, "Loft"]);
  assert.deepEqual(
    [...rehearsal.all("room")].map(([id]) => id),
    [made.id],
  );
  assert.deepEqual([home.kernel.size("room"), home.kernel.get("room", hall)?.name], [1, "Hall"]);
  assert.deepEqual([home.kernel.timestamp, home.log.last], [timestamp, timestamp]);
});
