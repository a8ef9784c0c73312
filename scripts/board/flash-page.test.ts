import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { flashFile, flashPage, sessionIn, shownOf } from "./flash-page.ts";

const page = readFileSync(flashFile, "utf8");

test("the page is as a trial writes it: else run npm run -s board -- --only image --write", () => {
  assert.equal(flashPage(sessionIn(page)), page);
  const { console, hub, rooms } = sessionIn(page);
  assert.match(
    console,
    /^U-Boot 20[^]*\nledge: slot A is booted\nLedge \S+, profile qemu-virt: [^]*setup code {2}[A-Z]{7}$/,
  );
  assert.equal((JSON.parse(hub) as { type: string }).type, "HUB_META_DATA");
  assert.deepEqual(
    Object.values(JSON.parse(rooms) as Record<string, { name: string }>).map(({ name }) => name),
    ["Cellar"],
  );
  assert.throws(() => sessionIn("# Flash a card\n"), /no session/);
});

test("what a console shows is found behind prompts, colours and times", () => {
  const console = [
    "U-Boot 2025.01-3 (Jun 24 2026)\r",
    "[    1.5] Run /init as init process\r",
    "\u001b[0;32m  OK  \u001b[0m] Started\r",
    "ledge: slot B is booted\r",
    "ledge login: [   65.1] node[375]: Ledge 0.2.0, profile x: open y in a browser\r",
    "[   65.2] node[375]:   setup code  RQDJNMH\r",
    '[   65.3] node[375]: {"level":30}\r',
  ].join("\n");
  assert.equal(
    shownOf(console),
    "U-Boot 2025.01-3 (Jun 24 2026)\nledge: slot B is booted\nLedge 0.2.0, profile x: open y in a browser\n  setup code  RQDJNMH",
  );
});
