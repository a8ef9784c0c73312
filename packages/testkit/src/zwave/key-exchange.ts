import { Security2CCPublicKeyReport } from "@zwave-js/cc";
import type { MockNode, MockNodeBehavior } from "@zwave-js/testing";

/** The digits of a device's PIN: the first two bytes of its public key (SDS13783, 3.1.2). */
const pinDigits = 5;
const pinBytes = 2;

/** Returns the PIN that is printed on a device. */
export function pinOf({ ecdhKeyPair: { publicKey } }: MockNode): string {
  const [high = 0, low = 0] = publicKey;
  return String((high << 8) | low).padStart(pinDigits, "0");
}

/** A joining node hides its PIN from whoever listens: its report of the public key lacks it. */
export const keyExchangeBehaviour: MockNodeBehavior = {
  transformResponse(_controller, _node, _received, response) {
    if (response.action === "sendCC" && response.cc instanceof Security2CCPublicKeyReport) {
      response.cc.publicKey = Uint8Array.from(response.cc.publicKey).fill(0, 0, pinBytes);
    }
    return response;
  },
};
