import type { Events } from "zigbee-herdsman";
import { endpointOf } from "../node.ts";
import type { Node } from "../nodes.ts";
import type { Radio } from "../radio.ts";
import type { ImageHead, Running } from "./image.ts";

const cluster = { id: 0x0019, name: "genOta" } as const;
const status = { success: 0x00, noImage: 0x98 } as const;
const atOnce = { sendPolicy: "immediate" } as const;

/** A message of the OTA cluster with its payload, by the library's names of fields. */
export interface Said {
  readonly type: Events.MessagePayload["type"];
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A device's question for an image (Query Next Image Request, ZCL 11.13.4). */
export interface Query {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly sequence: number;
  readonly endpoint: number;
}

/** Returns a message about firmware; undefined for any other. */
export function saidOf({ cluster: about, type, data }: Events.MessagePayload): Said | undefined {
  return about === cluster.name ? { type, payload: data as Said["payload"] } : undefined;
}

/** Returns the question in a message of `type` `commandQueryNextImageRequest`. */
export function queryOf({ endpoint, meta, data }: Events.MessagePayload): Query {
  const sequence = meta.zclTransactionSequenceNumber ?? 0;
  return { payload: data as Query["payload"], sequence, endpoint: endpoint.ID };
}

/** Returns what a device runs, by its question. */
export function runningBy({ payload }: Query): Running {
  const { manufacturerCode, imageType, fileVersion, hardwareVersion } = payload;
  return {
    manufacturerCode: Number(manufacturerCode),
    imageType: Number(imageType),
    fileVersion: Number(fileVersion),
    ...(typeof hardwareVersion === "number" && { hardwareVersion }),
  };
}

/** Returns the endpoint that asks for images; undefined when a device takes none. */
export function clientOf({ facts }: Node): number | undefined {
  return facts.endpoints.find(({ output }) => output.includes(cluster.id))?.id;
}

/**
 * Tells a device to ask for an image (Image Notify). It does nothing for one that takes none.
 * @throws AdapterError when the device cannot be told
 */
export async function notify(radio: Radio, node: Node): Promise<void> {
  const id = clientOf(node);
  const device = radio.device(node.ieee);
  if (id === undefined || device === undefined) return;
  const notice = { payloadType: 0, queryJitter: 100 };
  await radio.use(() => endpointOf(device, id).commandResponse(cluster.name, "imageNotify", notice, atOnce));
}

/**
 * Answers a device's question (Query Next Image Response). An answer that is lost is not repeated: the device asks again.
 * @param image what to offer; undefined for nothing
 */
export async function answer(
  radio: Radio,
  { ieee }: Node,
  { endpoint, sequence }: Query,
  image: ImageHead | undefined,
): Promise<void> {
  const device = radio.device(ieee);
  if (device === undefined) return;
  const says = image === undefined ? { status: status.noImage } : offerOf(image);
  await radio
    .use(() =>
      endpointOf(device, endpoint).commandResponse(
        cluster.name,
        "queryNextImageResponse",
        says,
        atOnce,
        sequence,
      ),
    )
    .catch(() => undefined);
}

function offerOf({ manufacturerCode, imageType, fileVersion, size }: ImageHead): Said["payload"] {
  return { status: status.success, manufacturerCode, imageType, fileVersion, imageSize: size };
}
