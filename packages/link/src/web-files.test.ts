import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { respondWebFile, type WebFile, webPolicy, type WebRequest } from "./web-files.ts";

const script: WebFile = {
  contentType: "text/javascript; charset=utf-8",
  etag: '"main-ABC.js"',
  isLasting: true,
  packings: ["br", "gzip"],
  read: async (packing) => Buffer.from(packing ?? "plain"),
};
const page: WebFile = { ...script, contentType: "text/html; charset=utf-8", isLasting: false };
const plain: WebFile = { ...script, packings: [] };

function ask(file: WebFile, request: Partial<WebRequest> = {}): Promise<Response> {
  return respondWebFile(
    file,
    { acceptEncoding: undefined, ifNoneMatch: undefined, ...request },
    webPolicy([]),
  );
}

const encodings: readonly [accepted: string | undefined, sent: string | null][] = [
  ["gzip, deflate, br", "br"],
  ["gzip, deflate", "gzip"],
  ["BR;q=1.0", "br"],
  ["br;q=0, gzip;q=0.5", "gzip"],
  ["br;q=0.000", null],
  ["identity", null],
  ["brotli", null],
  ["", null],
  [undefined, null],
];

describe("a file of the web interface", () => {
  for (const [accepted, sent] of encodings) {
    test(`goes out as ${sent ?? "it is"} to a browser that accepts ${accepted ?? "nothing"}`, async () => {
      const answer = await ask(script, { acceptEncoding: accepted });
      assert.equal(answer.headers.get("content-encoding"), sent);
      assert.equal(await answer.text(), sent ?? "plain");
    });
  }

  test("goes out as it is when it stands there unpacked only", async () => {
    const answer = await ask(plain, { acceptEncoding: "br" });
    assert.equal(answer.headers.get("content-encoding"), null);
  });

  test("is kept for ever if its name changes with its content, else asked for again", async () => {
    assert.match((await ask(script)).headers.get("cache-control") ?? "", /max-age=31536000, immutable/);
    assert.equal((await ask(page)).headers.get("cache-control"), "no-cache");
  });

  const known = ['"main-ABC.js"', 'W/"main-ABC.js"', '"old", "main-ABC.js"', "*"];
  for (const tag of known) {
    test(`is not sent again to a browser that holds ${tag}`, async () => {
      const answer = await ask(page, { ifNoneMatch: tag });
      assert.deepEqual([answer.status, await answer.text()], [304, ""]);
      assert.equal(answer.headers.get("etag"), '"main-ABC.js"');
    });
  }

  test("is sent to a browser that holds another", async () => {
    assert.equal((await ask(page, { ifNoneMatch: '"main-ABD.js"' })).status, 200);
  });

  test("forbids code, styles and frames of others, and inline code", async () => {
    const policy = (await ask(page)).headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/);
    assert.doesNotMatch(policy, /unsafe/);
  });

  test("lets the page call the cloud when the hub has one", () => {
    assert.match(
      webPolicy(["https://cloud.example.org"]),
      /connect-src 'self' https:\/\/cloud\.example\.org;/,
    );
  });
});
