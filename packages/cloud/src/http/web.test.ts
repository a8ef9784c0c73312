import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openWebFolder } from "@ledge/host/web-folder";
import { webPolicy } from "@ledge/link";
import { temporaryFolder } from "@ledge/testkit";
import { Served } from "./test-served.ts";

describe("the web interface of a cloud", () => {
  const folder = temporaryFolder();
  let served: Served;
  before(async () => {
    writeFileSync(join(folder.path, "index.html"), "of a hub");
    writeFileSync(join(folder.path, "cloud.html"), "of a cloud");
    writeFileSync(join(folder.path, "main-ABCD2345.js"), "code");
    served = await Served.start({ web: { files: openWebFolder(folder.path), policy: webPolicy([]) } });
  });
  after(async () => {
    await served?.stop();
    folder.remove();
  });

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(served.base + path, { headers });

  test("is a page of the cloud, under a policy that lets it call the cloud alone", async () => {
    const answer = await get("/");
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(answer.headers.get("content-security-policy") ?? "", /connect-src 'self';/);
    assert.equal(await answer.text(), "of a cloud");
    assert.equal((await get("/", { "if-none-match": answer.headers.get("etag") ?? "" })).status, 304);
  });

  test("lets browsers keep code for ever", async () => {
    const answer = await get("/ui/main-ABCD2345.js");
    assert.match(answer.headers.get("cache-control") ?? "", /immutable/);
    assert.equal(await answer.text(), "code");
  });

  for (const name of ["nothing.js", "..%2f..%2fpackage.json", "%00", "a".repeat(4000)])
    test(`has no file ${name.slice(0, 30)}`, async () => {
      assert.equal((await get(`/ui/${name}`)).status, 404);
    });

  test("leaves the rows for users where they are", async () => {
    assert.equal((await get("/ui/0.2/user/hubkeys")).status, 401);
  });
});
