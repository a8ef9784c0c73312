import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { freePort } from "@ledge/testkit";

const folder = join(import.meta.dirname, "..");

test("README.md starts with a server and a client that run as they stand", async () => {
  const page = readFileSync(join(folder, "README.md"), "utf8");
  const port = await freePort();
  const [server = "", client = ""] = [...page.matchAll(/^```js\n([^]*?)^```/gm)].map(([, code = ""]) =>
    code.replaceAll("8080", String(port)),
  );
  const running = spawn(process.execPath, ["--input-type=module", "-e", server], { cwd: folder });
  try {
    const [line] = (await once(running.stdout, "data")) as [Buffer];
    assert.equal(String(line), `http://localhost:${port}/chat\n`);
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", client], { cwd: folder });
    const [, promised = ""] = /^node client\.mjs +# (.+)$/m.exec(page) ?? [];
    assert.deepEqual(stdout.trimEnd().split("\n"), promised.split(", "));
  } finally {
    running.kill();
  }
});
