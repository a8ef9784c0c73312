import type { Controller, Models } from "zigbee-herdsman";
import { readOf, withoutRefused } from "./basic-reads.ts";
import type { StickAdapter } from "./library-inside.ts";
import { isBeingInterviewed } from "./node.ts";

const basicCluster = 0x0000;
const readAttributes = 0x00;
/** How long an answer may take before the library's own read is tried. */
const answerMs = 4000;

/** A ZCL frame on its way to a device, as the library makes it. */
interface SentFrame {
  readonly header: { readonly isGlobal: boolean; readonly manufacturerCode?: number };
  readonly cluster: { readonly ID: number };
  readonly command: { readonly ID: number };
  payload: readonly { readonly attrId?: number }[];
}

/** An answer, as a stick's driver gives it. */
interface Answer {
  readonly header: { readonly length: number };
  readonly data: Buffer;
}

/**
 * Has interviews read several attributes of the basic cluster at once. The library reads nine of them one by one, which is
 * half of an interview's frames; what it knows already it does not read again.
 */
export class InterviewReads {
  /** The reads that each device has been asked, as in `readOf`: what it did not answer together it is asked alone. */
  readonly #asked = new WeakMap<Models.Device, Set<readonly number[]>>();

  /** Wraps a stick. */
  follow(controller: Controller, adapter: StickAdapter): void {
    const send = adapter.sendZclFrameToEndpoint.bind(adapter);
    adapter.sendZclFrameToEndpoint = async (...args) => {
      const [ieee, , , frame] = args as [string, number, number, SentFrame];
      const wanted = basicAttributeIn(frame);
      if (wanted === undefined) return await send(...args);
      const read = this.#readFor(controller, ieee, wanted);
      return (read && (await together(send, args, read, wanted))) ?? (await send(...args));
    };
  }

  #readFor(controller: Controller, ieee: string, wanted: number): readonly number[] | undefined {
    const device = controller.getDeviceByIeeeAddr(ieee);
    const read = readOf(wanted);
    if (device === undefined || read === undefined || !isBeingInterviewed(device)) return undefined;
    const asked = this.#asked.get(device) ?? new Set();
    if (asked.has(read)) return undefined;
    this.#asked.set(device, asked.add(read));
    return read;
  }
}

/** Returns the attribute that a frame reads alone from the basic cluster. */
function basicAttributeIn({ header, cluster, command, payload }: SentFrame): number | undefined {
  const isBasicRead = header.isGlobal && cluster.ID === basicCluster && command.ID === readAttributes;
  if (!isBasicRead || header.manufacturerCode !== undefined || payload.length !== 1) return undefined;
  return payload[0]?.attrId;
}

/** Sends a read of several attributes instead of one. Returns undefined when the device does not answer it well. */
async function together(
  send: StickAdapter["sendZclFrameToEndpoint"],
  args: readonly unknown[],
  read: readonly number[],
  wanted: number,
): Promise<object | undefined> {
  const [ieee, nwk, endpoint, frame, , disableResponse, , ...rest] = args;
  const { payload: alone } = frame as SentFrame;
  const all = [wanted, ...read.filter((attribute) => attribute !== wanted)];
  (frame as SentFrame).payload = all.map((attrId) => ({ attrId }));
  try {
    const answer = (await send(ieee, nwk, endpoint, frame, answerMs, disableResponse, true, ...rest)) as
      | Answer
      | undefined;
    const data = answer && withoutRefused(answer.data, answer.header.length, wanted);
    return data && { ...answer, data };
  } catch {
    return undefined;
  } finally {
    (frame as SentFrame).payload = alone;
  }
}
