// The adapter in a network of its own.
import assert from "node:assert/strict";
import { type Adapter, type FoundDevice, type Report, systemClock } from "@ledge/port";
import { recordingHost } from "@ledge/port/testing";
import { until } from "@ledge/testkit";
import { serveCalls } from "@ledge/testkit/network";
import { createAdapter } from "../index.ts";

const adapter: Adapter = createAdapter(() => 0.5);
const reports: Report[] = [];
const found: FoundDevice[] = [];
const { signal } = new AbortController();

/** What a renderer has reported last, of each attribute. */
const latest = (native: string): object =>
  Object.assign({}, ...reports.filter((each) => each.native === native).map(({ attributes }) => attributes));

serveCalls({
  async start() {
    const recorded = { stored: new Map(), announced: [], reports, found, lost: [] };
    const settings = { pollEveryMs: 500 };
    await adapter.start(
      recordingHost(recorded, { settings, clock: systemClock, folder: "/nowhere", log: () => {} }),
    );
  },
  async find() {
    await adapter.pairing?.open(60_000);
    const [renderer] = await until("a renderer", () => found.length > 0 && found);
    await adapter.pairing?.keep(renderer?.native ?? "");
    await adapter.pairing?.close();
    return renderer?.description;
  },
  set: (native: string, attributes: object) =>
    adapter.send(native, { type: "set", attributes: { ...attributes } }, signal),
  async shows(native: string, expected: object) {
    await until(`${JSON.stringify(expected)}, not ${JSON.stringify(latest(native))}`, () => {
      try {
        assert.partialDeepStrictEqual(latest(native), expected);
        return true;
      } catch {
        return false;
      }
    });
  },
  queue: (native: string) => adapter.requests?.["GET_QUEUE"]?.({ type: "GET_QUEUE", native }, signal),
  stop: () => adapter.stop(),
  /** Tells a renderer what to play, as another controller does. */
  async give(url: string, track: string, metadata: string) {
    const body = `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
      <u:SetAVTransportURI xmlns:u="urn:schemas-upnp-org:service:AVTransport:1"><InstanceID>0</InstanceID>
      <CurrentURI>${track}</CurrentURI><CurrentURIMetaData>${metadata}</CurrentURIMetaData></u:SetAVTransportURI></s:Body></s:Envelope>`;
    const soapaction = '"urn:schemas-upnp-org:service:AVTransport:1#SetAVTransportURI"';
    const headers = { "content-type": "text/xml", soapaction };
    return (await fetch(url, { method: "POST", headers, body })).status;
  },
});
