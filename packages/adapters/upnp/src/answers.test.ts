import assert from "node:assert/strict";
import { test } from "node:test";
import { XmlError } from "@ledge/soap";
import { durationMs, readDescription, readMaximum, readObjects } from "./answers.ts";
import { readLocation } from "./ssdp.ts";

const service = (name: string, path: string): string =>
  `<service><serviceType>urn:schemas-upnp-org:service:${name}:2</serviceType><SCPDURL>/s.xml</SCPDURL>` +
  `<controlURL>${path}</controlURL></service>`;
/** As of a loudspeaker whose renderer is a device within another. */
const nested =
  `<root><device><deviceType>urn:x:device:ZonePlayer:1</deviceType><friendlyName>Kitchen</friendlyName>` +
  `<serviceList>${service("AVTransport", "/wrong")}</serviceList><deviceList><device>` +
  `<deviceType>urn:schemas-upnp-org:device:MediaServer:1</deviceType><serviceList>` +
  `${service("ContentDirectory", "/cd")}</serviceList></device><device>` +
  `<deviceType>urn:schemas-upnp-org:device:MediaRenderer:1</deviceType><UDN>uuid:1</UDN><modelName>M</modelName>` +
  `<serviceList>${service("AVTransport", "/av")}${service("RenderingControl", "/rc")}</serviceList></device>` +
  `</deviceList></device></root>`;
const didl =
  `<DIDL-Lite><item id="1"><dc:title>A &amp; B</dc:title><upnp:artist>C</upnp:artist>` +
  `<res duration="1:02:03.5">x</res></item><container id="2"><dc:title>D</dc:title></container></DIDL-Lite>`;
const ranges =
  `<scpd><serviceStateTable><stateVariable><name>Volume</name><allowedValueRange><maximum>30</maximum>` +
  `</allowedValueRange></stateVariable></serviceStateTable></scpd>`;

test("finds the renderer in a device, its own services first", () => {
  const { name, udn, model, services } = readDescription(nested) ?? assert.fail("no renderer");
  assert.deepEqual([name, udn, model], ["Kitchen", "uuid:1", "M"]);
  const controls = Object.entries(services).map(([each, { control }]) => [each, control]);
  assert.deepEqual(Object.fromEntries(controls), {
    AVTransport: "/av",
    RenderingControl: "/rc",
    ContentDirectory: "/cd",
  });
  assert.equal(readDescription("<root><device/></root>"), undefined);
  assert.equal(readMaximum(ranges, "Volume"), 30);
});

test("reads music, and nothing from what is no music", () => {
  assert.deepEqual(readObjects(didl), [
    { objectId: "1", isContainer: false, title: "A & B", artist: "C", album: null, durationMs: 3_723_500 },
    { objectId: "2", isContainer: true, title: "D", artist: null, album: null, durationMs: null },
  ]);
  for (const text of [undefined, "", "NOT_IMPLEMENTED", "<DIDL-Lite>", `<!DOCTYPE x><x/>`, "<x/>"])
    assert.deepEqual(readObjects(text), []);
  assert.deepEqual(["0:03:20", "NOT_IMPLEMENTED", "-0:00:01", "0:99:99:99x", "1:2"].map(durationMs), [
    200_000,
    null,
    null,
    6_039_000,
    null,
  ]);
});

test("takes the location of a renderer only from the renderer itself", () => {
  const answer = (location: string, st = "urn:schemas-upnp-org:device:MediaRenderer:1"): string =>
    `HTTP/1.1 200 OK\r\nST: ${st}\r\nLocation: ${location}\r\n\r\n`;
  const at = (message: string): unknown => readLocation(message, "192.168.1.30");
  assert.deepEqual(at(answer("http://192.168.1.30:1400/xml/d.xml")), {
    place: { address: "192.168.1.30", port: 1400 },
    path: "/xml/d.xml",
  });
  for (const message of [
    answer("http://169.254.169.254/latest"),
    answer("http://192.168.1.31/d.xml"),
    answer("https://192.168.1.30/d.xml"),
    answer("x"),
    answer(`http://192.168.1.30/${"x".repeat(600)}`),
    answer("http://192.168.1.30/d.xml", "upnp:rootdevice"),
    "NOTIFY * HTTP/1.1\r\n\r\n",
    "",
  ])
    assert.equal(at(message), undefined, message);
});

test("reads 1,000 changed answers of devices, or refuses them", () => {
  let state = 1;
  const below = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const texts = [nested, didl, ranges];
  for (let count = 0; count < 1000; count += 1) {
    let text = texts[count % texts.length] ?? "";
    for (let left = 1 + below(4); left > 0; left -= 1) {
      const from = below(text.length);
      const to = from + below(30);
      const put = ["", text.slice(from, to).repeat(3), String.fromCharCode(below(65_536)), "&x;", "<a>"];
      text = text.slice(0, from) + put[below(put.length)] + text.slice(to);
    }
    readObjects(text);
    for (const read of [() => readDescription(text), () => readMaximum(text, "Volume")])
      try {
        read();
      } catch (error) {
        assert.ok(error instanceof XmlError, `case ${count}: ${String(error)}: ${text}`);
      }
  }
});
