import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerRoom } from "./answer-room.ts";

test("room is limited for each user and in all, to the byte, and comes back", () => {
  const room = new AnswerRoom({ hubAnswersBytes: 10, hubAnswersBytesPerUser: 6 });
  assert.equal(room.take("ada", 7), false);
  assert.equal(room.take("ada", 6), true);
  assert.equal(room.take("ada", 1), false);
  assert.equal(room.take("eve", 5), false);
  assert.equal(room.take("eve", 4), true);
  room.giveBack("ada", 6);
  assert.equal(room.take("eve", 2), true);
  assert.equal(room.take("eve", 1), false);
  assert.equal(room.take("ada", 4), true);
  room.giveBack("eve", 6);
  room.giveBack("ada", 4);
  assert.equal(room.take("ada", 6), true);
});
