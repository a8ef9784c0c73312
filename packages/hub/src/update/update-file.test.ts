import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { declared } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { formatsOf } from "./formats.ts";
import { noUpdate, type UpdateState } from "./update.ts";
import { UpdateFile, updateFolder } from "./update-file.ts";

test("keeps every phase of an update, and takes what cannot be read for none", () => {
  const temporary = temporaryFolder();
  const folder = temporary.path;
  const file = new UpdateFile(folder);
  assert.deepEqual(file.read(), noUpdate);
  const move = { from: "0.2.0", slot: "A" } as const;
  const target = { ...move, to: "0.3.0", unreadable: ["RoomPainted@1"] };
  const previous = { version: "0.2.0", slot: "A", since: 5 } as const;
  const stages: readonly UpdateState["stage"][] = [
    { phase: "IDLE" },
    { phase: "IDLE", left: target },
    { phase: "FETCHING", ...move },
    { phase: "CHECKING", ...move },
    { phase: "INSTALLING", ...target },
    { phase: "INSTALLED", ...target },
    { phase: "TRIAL", ...target, since: 7 },
    { phase: "RETURNING", ...move, to: previous },
  ];
  for (const stage of stages) {
    const outcome = { result: "FAILED", version: null, message: "the disk is full", at: 9 } as const;
    const state: UpdateState = { stage, previous, outcome };
    file.write(state);
    assert.deepEqual(new UpdateFile(folder).read(), state);
  }
  for (const text of ["", "{", "null", '{"stage":{"phase":"TRIAL"},"previous":null,"outcome":null}']) {
    writeFileSync(join(updateFolder(folder), "state.json"), text);
    assert.deepEqual(file.read(), noUpdate, text);
  }
  temporary.remove();
});

test("the formats of a release are those of its frames and events", () => {
  const formats = formatsOf(declared);
  assert.ok(
    formats.includes("frame LDG1") && formats.includes("journal LDJ1") && formats.includes("RoomCreated@1"),
  );
  assert.equal(formats.length, declared.events.size + 2);
});
