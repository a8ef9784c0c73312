import type { StickAdapter } from "../library-inside.ts";
import { around, guardedOf, NeedsReopening, type NetworkOptions } from "./permit.ts";

interface EmberAdapter {
  readonly networkOptions: NetworkOptions;
  readonly ezsp: Ezsp;
  formNetwork: (isFromBackup: boolean, ...rest: unknown[]) => Promise<void>;
}

/** The commands of EZSP that matter here. A status is 0 when all is well. */
interface Ezsp {
  ezspLeaveNetwork: () => Promise<unknown>;
  ezspExportKey: (context: unknown) => Promise<readonly [status: number, key: { readonly contents: Buffer }]>;
  ezspGetEui64(): Promise<string>;
  ezspGetNetworkKeyInfo(): Promise<
    readonly [status: number, info: { readonly networkKeyFrameCounter: number }]
  >;
  ezspGetTokenData(token: number, index: number): Promise<readonly [status: number, data: TokenData]>;
  ezspSetTokenData(token: number, index: number, data: TokenData): Promise<number>;
}

interface TokenData {
  readonly size: number;
  readonly data: Buffer;
}

/**
 * The token for an address in place of the maker's (token-stack.h of the SDK), in the numbering of NCP firmware
 * and in that of NVM3.
 */
const restoredAddress = [0xe12a, 0x1_e12a] as const;
const addressLength = 8;

/** Guards sticks with EmberZNet: asks before a network is left or formed, and restores what the library omits. */
export async function guardEmber(): Promise<void> {
  const library = await import("zigbee-herdsman/dist/adapter/ember/adapter/emberAdapter.js");
  around(library.EmberAdapter.prototype, "initTrustCenter", (stick: EmberAdapter, init) => {
    const { permit, sent, address } = guardedOf(stick.networkOptions);
    const { ezsp } = stick;
    const [leave, exportKey] = [ezsp.ezspLeaveNetwork.bind(ezsp), ezsp.ezspExportKey.bind(ezsp)];
    let [holdsOther, isBehind] = [false, false];
    // The library compares the key before it resumes a network. With another key it restores the backup.
    ezsp.ezspExportKey = async (context) => {
      isBehind = sent > 0 && (await sentBy(ezsp)) < sent;
      const [status, key] = await exportKey(context);
      return [status, isBehind ? { contents: Buffer.alloc(key.contents.length) } : key];
    };
    ezsp.ezspLeaveNetwork = () => {
      holdsOther = !isBehind;
      permit("restore", holdsOther);
      return leave();
    };
    const form = stick.formNetwork.bind(stick);
    stick.formNetwork = async (isFromBackup, ...rest) => {
      permit(isFromBackup ? "restore" : "form", holdsOther);
      if (isFromBackup && address !== undefined) await takeAddress(ezsp, address);
      await form(isFromBackup, ...rest);
    };
    const restored = init() as Promise<unknown>;
    const uncover = (): void => void (ezsp.ezspExportKey = exportKey);
    return restored.finally(uncover);
  });
}

/** `EzspStatus` */
const notConnected = 0x28;

/** Fails the command whose response a stopped library would await for a quarter of a minute. */
export function endEmber({ ezsp }: StickAdapter): void {
  const waiter = ezsp?.responseWaiter;
  if (waiter === undefined) return;
  clearTimeout(waiter.timer);
  waiter.resolve(notConnected);
}

/** Returns the counter of the frames that a stick has sent: devices reject frame numbers that they have seen. */
async function sentBy(ezsp: Ezsp): Promise<number> {
  const [status, info] = await ezsp.ezspGetNetworkKeyInfo();
  return status === 0 ? info.networkKeyFrameCounter : Infinity;
}

/**
 * Gives the stick the address that devices have bound their reports to. Old firmware has no place for it and
 * keeps its own.
 * @throws NeedsReopening when the stick has taken it, which counts from its next start
 */
async function takeAddress(ezsp: Ezsp, address: string): Promise<void> {
  if ((await ezsp.ezspGetEui64()) === address) return;
  const data = Buffer.from(Buffer.from(address.slice(2), "hex").toReversed());
  for (const token of restoredAddress) {
    if (!(await hasToken(ezsp, token))) continue;
    if ((await ezsp.ezspSetTokenData(token, 0, { size: addressLength, data })) === 0)
      throw new NeedsReopening("the stick takes over the address of the old one");
  }
}

async function hasToken(ezsp: Ezsp, token: number): Promise<boolean> {
  try {
    const [status, { size }] = await ezsp.ezspGetTokenData(token, 0);
    return status === 0 && size === addressLength;
  } catch {
    // The answer of firmware without tokens is too short for the library.
    return false;
  }
}
