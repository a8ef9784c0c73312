import type { PairedBridge } from "./bridge.ts";
import { BridgeFault, BridgeHttp } from "./http.ts";
import { recordIn, wordIn } from "./reading.ts";
import { errorIn, keyIn } from "./v1.ts";

/** What the bridge calls the hub in its list of applications. */
const deviceType = "ledge#hub";
const linkButton = 101;
const probeMs = 2000;

/** A bridge that answers, and says who it is. */
export interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly model: string | null;
  readonly http: BridgeHttp;
}

/**
 * Returns the bridge at the first origin that answers as one; undefined if none does.
 * @param origins of one address, the safest first
 */
export async function probeBridge(origins: readonly string[]): Promise<Candidate | undefined> {
  for (const origin of origins) {
    const http = new BridgeHttp(origin);
    try {
      const config = await configOf(http);
      const id = bridgeIdIn(config);
      if (id !== undefined)
        return { id, name: wordIn(config["name"]) ?? "Bridge", model: wordIn(config["modelid"]), http };
    } catch (error) {
      if (!(error instanceof BridgeFault)) throw error;
    }
    http.close();
  }
  return undefined;
}

/** What a bridge says of itself to everybody: as JSON, or as the first ones did, for UPnP. */
async function configOf(http: BridgeHttp): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { status, json } = await http.ask({ path: "/api/config", timeoutMs: probeMs });
    if (status === 200) return recordIn(json);
  } catch (error) {
    if (!(error instanceof BridgeFault) || http.origin.startsWith("https:")) throw error;
  }
  const { text } = await http.text({ path: "/description.xml", timeoutMs: probeMs });
  const said = (name: string): string | undefined =>
    new RegExp(`<${name}>([^<]{1,64})</${name}>`).exec(text)?.[1];
  if (said("manufacturer")?.includes("Philips") !== true) return {};
  return { mac: said("serialNumber"), name: said("friendlyName"), modelid: said("modelNumber") };
}

/** 16 digits; the first bridges say only the address that it is made of. */
function bridgeIdIn({ bridgeid, mac }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof bridgeid === "string" && /^[0-9a-f]{16}$/i.test(bridgeid)) return bridgeid.toLowerCase();
  const digits = typeof mac === "string" ? mac.replaceAll(":", "").toLowerCase() : "";
  return /^[0-9a-f]{12}$/.test(digits) ? `${digits.slice(0, 6)}fffe${digits.slice(6)}` : undefined;
}

/**
 * Asks a bridge for a key, which it gives within 30 s after somebody has pressed its button.
 * @returns undefined while nobody has
 * @throws BridgeFault
 */
export async function requestKey({ http }: Candidate, signal: AbortSignal): Promise<string | undefined> {
  const body = { devicetype: deviceType };
  const { json } = await http.ask({ method: "POST", path: "/api", body, signal });
  const key = keyIn(json);
  if (key !== undefined) return key;
  const error = errorIn(json);
  if (error?.type === linkButton) return undefined;
  throw new BridgeFault(error?.description ?? "the bridge gives no key");
}

/** Returns the bridge with its key, and which of its interfaces the hub speaks. */
export async function pairedWith(
  { id, name, model, http }: Candidate,
  key: string,
  signal?: AbortSignal,
): Promise<PairedBridge> {
  const { origin, fingerprint } = http;
  const isSecond = origin.startsWith("https:") && (await hasSecondInterface(http, key, signal));
  const api = isSecond ? "v2" : "v1";
  return { id, origin, key, api, ...(fingerprint !== undefined && { fingerprint }), name, model };
}

async function hasSecondInterface(
  http: BridgeHttp,
  key: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const { status } = await http.ask({ path: "/clip/v2/resource/bridge", key, signal });
    return status === 200;
  } catch (error) {
    if (error instanceof BridgeFault) return false;
    throw error;
  }
}
