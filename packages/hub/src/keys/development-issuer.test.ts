import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { verifyHubKey } from "@ledge/link";
import { openTestKernel } from "@ledge/testkit";
import { temporaryFolder } from "../testdata/hub-process.ts";
import { DevelopmentIssuer } from "./development-issuer.ts";

const create = { type: "CREATE_HUB", name: "Hub", timezone: "UTC" };

test("the first key claims the hub for its owner, and the folder keeps the key pair", async () => {
  const folder = temporaryFolder();
  const { kernel, clock, accept } = openTestKernel();
  const hubId = await accept(create);
  const issuer = await DevelopmentIssuer.open(folder.path);
  const token = await issuer.issue(kernel, clock.wall());
  assert.equal(kernel.get("hub", hubId)?.state, "claimed");
  const again = await DevelopmentIssuer.open(folder.path);
  const { key } = await verifyHubKey(token, { keys: again.keys, issuers: [again.name], hubId }, clock.wall());
  assert.equal(key?.owner, true);
  assert.equal(key?.role, 64);
  assert.equal(key?.user_id, kernel.get("hub", hubId)?.owner);
  folder.remove();
});

test("without a hub there is no key", async () => {
  const folder = temporaryFolder();
  const { kernel, clock } = openTestKernel();
  const issuer = await DevelopmentIssuer.open(folder.path);
  await assert.rejects(issuer.issue(kernel, clock.wall()), { name: "KeyRefused" });
  folder.remove();
});

/** The modules of this package that are loaded with a module, whatever the profile. */
function loadedWith(url: URL, seen = new Set<string>()): Set<string> {
  const file = fileURLToPath(url);
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(file, "utf8");
  for (const [, clause, from = ""] of source.matchAll(/^import ([^;]*?)from ["'](\.[^"']+)["']/gm)) {
    if (clause?.startsWith("type ") === false) loadedWith(new URL(from, url), seen);
  }
  return seen;
}

test("a hub whose profile has no issuer does not load the code that signs keys", () => {
  const loaded = [...loadedWith(new URL("../main.ts", import.meta.url))];
  assert.ok(loaded.some((file) => file.endsWith("/hub.ts")));
  assert.deepEqual(
    loaded.filter((file) => file.includes("development-issuer")),
    [],
  );
});
