// Another BACnet stack in a network of its own: a client, and a device with three objects.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import bacnet from "@bacnet-js/client";
import { addresses, serveCalls } from "@ledge/testkit/network";

const { default: Client, ApplicationTag: tag, ObjectType, PropertyIdentifier: property } = bacnet;

const deviceId = 1001;
const all = 0xffff_ffff;
const acknowledged = { subscribeCov: 5, writeProperty: 15 } as const;
const unknown = { object: [1, 31], property: [2, 32] } as const;

interface Typed {
  readonly type: number;
  readonly value: unknown;
}
interface ObjectId {
  // The library wants its own enumeration.
  readonly type: never;
  readonly instance: number;
}
type Properties = Map<number, readonly Typed[]>;

const text = (value: string): Typed => ({ type: tag.CHARACTER_STRING, value });
const enumerated = (value: number): Typed => ({ type: tag.ENUMERATED, value });
const real = (value: number): Typed => ({ type: tag.REAL, value });
const celsius = 62;
const flags = { type: tag.BIT_STRING, value: { bitsUsed: 4, value: [0] } };
const noPriorities = Array.from({ length: 16 }, (): Typed => ({ type: tag.NULL, value: null }));

function object(
  type: number,
  instance: number,
  name: string,
  more: [number, readonly Typed[]][],
): Properties {
  return new Map([
    [property.OBJECT_IDENTIFIER, [{ type: tag.OBJECTIDENTIFIER, value: { type, instance } }]],
    [property.OBJECT_NAME, [text(name)]],
    [property.OBJECT_TYPE, [enumerated(type)]],
    [property.STATUS_FLAGS, [flags]],
    ...more,
  ]);
}

const objects = new Map<string, Properties>();
const keyOf = ({ type, instance }: ObjectId): string => `${String(type)} ${instance}`;
const idOf = (type: number, instance: number): ObjectId => ({ type: type as never, instance });
const ids = [
  idOf(ObjectType.DEVICE, deviceId),
  idOf(ObjectType.ANALOG_INPUT, 1),
  idOf(ObjectType.BINARY_OUTPUT, 1),
];
const [whole, air, fan] = ids.map(keyOf) as [string, string, string];
objects.set(
  whole,
  object(ObjectType.DEVICE, deviceId, "Plant", [
    [property.OBJECT_LIST, ids.map((value) => ({ type: tag.OBJECTIDENTIFIER, value }))],
    [property.VENDOR_NAME, [text("Foreign")]],
    [property.MODEL_NAME, [text("Stack")]],
  ]),
);
objects.set(
  air,
  object(ObjectType.ANALOG_INPUT, 1, "Supply air", [
    [property.PRESENT_VALUE, [real(21.5)]],
    [property.UNITS, [enumerated(celsius)]],
  ]),
);
objects.set(
  fan,
  object(ObjectType.BINARY_OUTPUT, 1, "Fan", [
    [property.PRESENT_VALUE, [enumerated(0)]],
    [property.PRIORITY_ARRAY, noPriorities],
  ]),
);

const client = new Client({ broadcastAddress: addresses.broadcast, apduTimeout: 2000 });
const hub = { address: addresses.hub };
/** Who has subscribed to an object. */
const subscribers = new Map<string, { readonly process: number; readonly address: string }>();
const written: { readonly value: unknown; readonly priority: unknown }[] = [];
const heard: { readonly event: string; readonly payload: unknown }[] = [];

interface Request {
  readonly header: { readonly sender: { readonly address: string } };
  readonly invokeId: number;
  readonly service: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

// The types of the library want its own enumerations.
const on = (event: string, take: (request: Request) => void): void =>
  void client.on(event as never, take as never);

on("whoIs", ({ payload }) => {
  const { lowLimit = 0, highLimit = all } = payload as { lowLimit?: number; highLimit?: number };
  if (deviceId >= lowLimit && deviceId <= highLimit)
    client.iAmResponse({ address: addresses.broadcast }, deviceId, 3, 999);
});
on("readProperty", ({ header, invokeId, payload }) => {
  const { objectId, property: wanted } = payload as {
    objectId: ObjectId;
    property: { id: never; index: number };
  };
  const { sender } = header;
  const found = objects.get(keyOf(objectId));
  const values = found?.get(wanted.id);
  if (values === undefined) {
    const [errorClass, errorCode] = found === undefined ? unknown.object : unknown.property;
    return client.errorResponse(sender, 12, invokeId, errorClass, errorCode);
  }
  return client.readPropertyResponse(sender, invokeId, objectId, wanted, values as never);
});
on("readPropertyMultiple", ({ header, invokeId, payload }) => {
  const { properties } = payload as { properties: { objectId: ObjectId; properties: { id: number }[] }[] };
  const answers = properties.map(({ objectId, properties: wanted }) => ({
    objectId,
    values: wanted.map(({ id }) => ({
      property: { id, index: all },
      value: objects.get(keyOf(objectId))?.get(id) ?? [
        { value: { type: "BacnetError", errorClass: unknown.property[0], errorCode: unknown.property[1] } },
      ],
    })),
  }));
  client.readPropertyMultipleResponse(header.sender, invokeId, answers as never);
});
on("writeProperty", ({ header, invokeId, payload }) => {
  const { objectId, value } = payload as {
    objectId: ObjectId;
    value: { value: readonly Typed[]; priority: number };
  };
  const [first] = value.value;
  written.push({ value: first?.value, priority: value.priority });
  if (typeof first?.value === "number") objects.get(keyOf(objectId))?.set(property.PRESENT_VALUE, [first]);
  client.simpleAckResponse(header.sender, acknowledged.writeProperty, invokeId);
  notify(keyOf(objectId));
});
on("subscribeCov", ({ header, invokeId, payload }) => {
  const { monitoredObjectId, subscriberProcessId, cancellationRequest } = payload as {
    monitoredObjectId: ObjectId;
    subscriberProcessId: number;
    cancellationRequest: boolean;
  };
  const key = keyOf(monitoredObjectId);
  if (cancellationRequest) subscribers.delete(key);
  else subscribers.set(key, { process: subscriberProcessId, address: header.sender.address });
  client.simpleAckResponse(header.sender, acknowledged.subscribeCov, invokeId);
  notify(key);
});
for (const event of ["iAm", "covNotifyUnconfirmed", "iHave"])
  on(event, ({ payload }) => void heard.push({ event, payload }));
on("covNotify", ({ header, payload, invokeId, service }) => {
  heard.push({ event: "covNotify", payload });
  client.simpleAckResponse(header.sender, service, invokeId);
});

function notify(key: string): void {
  const subscriber = subscribers.get(key);
  const id = ids.find((each) => keyOf(each) === key);
  if (subscriber === undefined || id === undefined) return;
  const values = [property.PRESENT_VALUE, property.STATUS_FLAGS].map((each) => ({
    property: { id: each },
    value: objects.get(key)?.get(each) ?? [],
  }));
  client.unconfirmedCOVNotification(
    { address: subscriber.address },
    subscriber.process,
    deviceId,
    id,
    300,
    values as never,
  );
}

const listening = once(client as never, "listening");

serveCalls({
  listening: async () => void (await listening),
  whoIs: (low: number, high: number) =>
    client.whoIs({ address: addresses.broadcast }, { lowLimit: low, highLimit: high }),
  async read(id: ObjectId, wanted: number, arrayIndex?: number) {
    const more = arrayIndex === undefined ? {} : { arrayIndex };
    const { values } = await client.readProperty(hub, id, wanted, more);
    return values.map(({ value }) => value);
  },
  async readMultiple(requests: never) {
    return (await client.readPropertyMultiple(hub, requests)).values;
  },
  write: (id: ObjectId, value: Typed, priority: number) =>
    client.writeProperty(hub, id, property.PRESENT_VALUE, [value] as never, { priority }),
  subscribe: (id: ObjectId, process: number, isConfirmed: boolean, ends: boolean) =>
    client.subscribeCov(hub, id, process, ends, isConfirmed, ends ? 0 : 60),
  readRange: (id: ObjectId) => client.readRange(hub, id, 1, 10),
  timeSync: (at: number) => client.timeSyncUTC(hub, new Date(at)),
  change(value: number) {
    objects.get(air)?.set(property.PRESENT_VALUE, [real(value)]);
    notify(air);
  },
  /** Sends bytes as they are. */
  raw: (hex: string) =>
    new Promise<void>((resolve) => {
      const socket = createSocket("udp4");
      socket.send(Buffer.from(hex, "hex"), 47_808, addresses.hub, () => socket.close(() => resolve()));
    }),
  written: () => written,
  heard: () => heard,
});
