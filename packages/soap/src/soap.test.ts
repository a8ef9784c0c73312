import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import {
  addressOf,
  bodyOf,
  digestAnswer,
  escaped,
  exchange,
  mayReach,
  passwordDigest,
  pathOn,
  readXml,
  SoapFault,
  textAt,
  xmlLimits,
} from "./index.ts";

suite("addresses", () => {
  test("only the local network may be asked, the machine itself only where that is allowed", () => {
    const judged = (address: string): readonly boolean[] =>
      [false, true].map((own) => mayReach(address, { own }));
    for (const address of ["192.168.1.20", "10.0.0.9", "172.16.0.1", "fd00::20"])
      assert.deepEqual(judged(address), [true, true], address);
    for (const address of ["127.0.0.1", "169.254.169.254", "::1", "fe80::1", "::ffff:127.0.0.1"])
      assert.deepEqual(judged(address), [false, true], address);
    for (const address of ["8.8.8.8", "::ffff:8.8.8.8", "172.32.0.1", "2001:4860:4860::8888", "camera", ""])
      assert.deepEqual(judged(address), [false, false], address);
  });

  test("a name leads to an address once, and only if all its addresses are local", async () => {
    const answers = [["192.168.1.20"], ["8.8.8.8"]];
    const resolve = async (): Promise<string[]> => answers.shift() ?? [];
    assert.equal(await addressOf("camera.lan", { own: false }, resolve), "192.168.1.20");
    for (const addresses of [["8.8.8.8"], ["192.168.1.20", "8.8.8.8"], ["127.0.0.1"], []])
      await assert.rejects(
        addressOf("camera.lan", { own: false }, async () => addresses),
        {
          name: "ForeignAddress",
        },
      );
  });

  test("a device that names the address of another is asked at its own", () => {
    const place = { address: "192.168.1.20", port: 8080 };
    const on = (url: string): unknown => pathOn(url, place);
    const at = (path: string, port = 8080): object => ({ place: { address: "192.168.1.20", port }, path });
    assert.deepEqual(on("http://192.168.1.20:8899/onvif/media?a=b"), at("/onvif/media?a=b", 8899));
    assert.deepEqual(on("http://169.254.169.254/latest/meta-data"), at("/latest/meta-data"));
    assert.deepEqual(on("http://evil.example.org:6379/x"), at("/x"));
    assert.deepEqual(on("//evil.example.org/x"), at("/x"));
    assert.deepEqual(on("/events/1"), at("/events/1"));
    const secure = { ...place, isSecure: true } as const;
    for (const [url, port] of [
      ["https://192.168.1.20:8443/x", 8443],
      ["https://192.168.1.20/x", 443],
      ["http://192.168.1.20/x", 8080],
      ["https://evil.example.org/x", 8080],
      ["/x", 8080],
    ] as const)
      assert.deepEqual(pathOn(url, secure), { place: { ...secure, port }, path: "/x" }, url);
    for (const url of ["file:///etc/passwd", "gopher://192.168.1.20/", "https://192.168.1.20/x"])
      assert.equal(on(url), undefined, url);
  });
});

suite("XML", () => {
  test("reads elements, attributes and text, without their namespaces", () => {
    const root = readXml(
      `\uFEFF<?xml version="1.0"?><!-- x --><a:r xmlns:a="u" a:k='1 &lt; 2' k2="&#x41;&#66;">` +
        `<b>x &amp; <![CDATA[<y>]]></b><c/></a:r>\n`,
    );
    assert.deepEqual([root.name, ...root.attributes], ["r", ["k", "1 < 2"], ["k2", "AB"]]);
    assert.deepEqual(
      [textAt(root, "b"), textAt(root, "c"), textAt(root, "d")],
      ["x & <y>", undefined, undefined],
    );
  });

  test("what was escaped reads as it was", () => {
    for (const text of [`<&>"'`, "ä😀", "a\nb", "]]>"])
      assert.equal(readXml(`<a b="${escaped(text)}">${escaped(text)}</a>`).text, text);
    assert.equal(readXml(`<a>${escaped("x\u0000\u001By\uD800")}</a>`).text, "xy\uFFFD");
  });

  test("refuses document types, entities, and what has no end", () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>`;
    for (const text of [
      bomb,
      `<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>`,
      "<x>&b;</x>",
      "<x>&#0;</x>",
      "<x>&#xD800;</x>",
      "<x>&#x110000;</x>",
      "<x>&</x>",
      "",
      "x",
      "<x",
      "<x>",
      "<x></y>",
      "</x>",
      "<x/><y/>",
      "<x/>y",
      "<x a=1/>",
      `<x a="<"/>`,
      "<!-- x",
      "<x><![CDATA[",
      "<1/>",
    ])
      assert.throws(() => readXml(text), { name: "XmlError" }, text);
  });

  test("takes nothing beyond its limits, and no longer for it", () => {
    const deep = (count: number): string => "<a>".repeat(count) + "</a>".repeat(count);
    assert.equal(readXml(deep(xmlLimits.depth)).name, "a");
    assert.throws(() => readXml(deep(xmlLimits.depth + 1)), /deeper/);
    assert.equal(readXml(`<r>${"<a/>".repeat(xmlLimits.elements - 1)}</r>`).name, "r");
    assert.throws(() => readXml(`<r>${"<a/>".repeat(xmlLimits.elements)}</r>`), /elements/);
    const named = (count: number): string =>
      Array.from({ length: count }, (_, index) => `a${index}=""`).join(" ");
    assert.equal(readXml(`<r ${named(xmlLimits.attributes)}/>`).attributes.size, xmlLimits.attributes);
    assert.throws(() => readXml(`<r ${named(xmlLimits.attributes + 1)}/>`), /attributes/);
    assert.throws(() => readXml(`<r>${" ".repeat(xmlLimits.chars)}</r>`), /characters/);
    for (const text of ["xmlns", "<a ", "&", "&amp", "<![CDATA[", "]]>", " "])
      assert.throws(() => readXml(`<r>${text.repeat(xmlLimits.chars / 16)}`), { name: "XmlError" }, text);
  });
});

suite("SOAP", () => {
  test("returns what is in the body, and throws faults of both versions with their codes", () => {
    assert.equal(bodyOf("<s:Envelope><s:Header/><s:Body><x/></s:Body></s:Envelope>").name, "x");
    const codes = (fault: string): readonly string[] => {
      try {
        bodyOf(`<Envelope><Body><Fault>${fault}</Fault></Body></Envelope>`);
      } catch (error) {
        assert.ok(error instanceof SoapFault);
        return [...error.codes, error.message];
      }
      return [];
    };
    assert.deepEqual(
      codes(
        "<Code><Value>s:Sender</Value><Subcode><Value>ter:NotAuthorized</Value></Subcode></Code>" +
          "<Reason><Text>No</Text></Reason>",
      ),
      ["Sender", "NotAuthorized", "No"],
    );
    assert.deepEqual(
      codes(
        "<faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail><UPnPError>" +
          "<errorCode>701</errorCode><errorDescription>Transition not available</errorDescription></UPnPError></detail>",
      ),
      ["Client", "701", "Transition not available"],
    );
    assert.equal(codes(`<Reason><Text>${"x".repeat(5000)}</Text></Reason>`)[0]?.length, 201);
    for (const text of ["<html/>", "<Envelope/>", "<Envelope><Body/></Envelope>"])
      assert.throws(() => bodyOf(text), { name: "XmlError" }, text);
  });

  test("proves who sends a message as in the programmer's guide of ONVIF", () => {
    const nonce = Buffer.from("LKqI6G/AikKCQrN0zqZFlg==", "base64");
    const digest = passwordDigest(nonce, "2010-09-16T07:50:45Z", "userpassword");
    assert.equal(digest, "tuOSpGlFlIXsozq4HFNeeGeFLEI=");
  });

  test("answers the challenges of RFC 7616 3.9.1, the stronger one first, and never Basic", () => {
    const rest =
      `realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ` +
      `opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
    const login = { username: "Mufasa", password: "Circle of Life" };
    const asked = {
      method: "GET",
      path: "/dir/index.html",
      cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
    };
    const answer = (challenge: string): string | undefined =>
      /response="(\w+)"/.exec(digestAnswer(challenge, login, asked) ?? "")?.[1];
    const md5 = `Digest ${rest}, algorithm=MD5`;
    const sha = `Digest ${rest}, algorithm=SHA-256`;
    assert.equal(answer(md5), "8ca523f5e9506fed4657c9700eebdbec");
    assert.equal(
      answer(`${md5}, ${sha}`),
      "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
    );
    for (const challenge of [
      `Basic realm="x"`,
      `Digest ${rest}, algorithm=MD5-sess`,
      "Digest",
      "",
      "Digest ,,,=",
    ])
      assert.equal(answer(challenge), undefined, challenge);
  });
});

suite("an exchange", () => {
  const server = createServer((request, response) => {
    if (request.url === "/huge") response.write(Buffer.alloc(5000));
    else if (request.url === "/moved") response.writeHead(302, { Location: "http://192.0.2.1/" }).end();
    else if (request.url === "/reset") request.socket.destroy();
    else if (request.url !== "/never") response.end(request.headers.host);
  });
  let port = 0;
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const get = (path: string, more: object = {}): ReturnType<typeof exchange> =>
    exchange({
      place: { address: "127.0.0.1", port },
      method: "GET",
      path,
      headers: {},
      timeoutMs: 20_000,
      bytesMax: 4096,
      ...more,
    });

  test("ends with what the device answered, or why it has not", async () => {
    assert.equal((await get("/")).body.toString(), `127.0.0.1:${port}`);
    assert.equal((await get("/moved")).status, 302, "a redirect is not followed");
    await assert.rejects(get("/huge"), { failure: "large" });
    await assert.rejects(get("/reset"), { failure: "lost" });
    await assert.rejects(get("/never", { timeoutMs: 20 }), { failure: "timeout" });
    await assert.rejects(get("/", { place: { address: "127.0.0.1", port: 1 } }), { failure: "refused" });
    await assert.rejects(get("/never", { signal: AbortSignal.abort() }), { failure: "cancelled" });
  });
});
