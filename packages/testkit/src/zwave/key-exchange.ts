import {
  type CommandClass,
  ECDHProfiles,
  KEXSchemes,
  Security2CC,
  Security2CCKEXFail,
  Security2CCKEXSet,
  Security2CCNonceGet,
  Security2CCNonceReport,
  Security2CCPublicKeyReport,
} from "@zwave-js/cc";
import {
  computePRK,
  deriveSharedECDHSecret,
  deriveTempKeys,
  SecurityClass,
  type SecurityManager2,
} from "@zwave-js/core";
import {
  createMockZWaveRequestFrame,
  type MockController,
  type MockNode,
  type MockNodeBehavior,
  type MockZWaveFrame,
  MockZWaveFrameType,
  type MockZWaveRequestFrame,
} from "@zwave-js/testing";

/** The digits of a device's PIN: the first two bytes of its public key (SDS13783, 3.1.2). */
const pinDigits = 5;
const pinBytes = 2;

/**
 * How often a joining node says which keys it was granted until it is believed, ms. Devices do it every 10 s (SDS13783,
 * 3.1.4); tests need not wait for that.
 */
const repeatMs = 1000;
const nonceWithinMs = 1000;

/** Where the library's node keeps how far its key exchange is, and the stage in which it waits to be believed. */
const stateKey = "Security2_bootstrapState";
const handshake = 1;
const saidKey = "Security2_said";
const turnKey = "Security2_turn";
const heardKey = "Security2_heard";

interface Exchange {
  readonly stage: number;
  readonly grantedKeys?: readonly SecurityClass[];
}

/** Returns the PIN that is printed on a device. */
export function pinOf({ ecdhKeyPair: { publicKey } }: MockNode): string {
  const [high = 0, low = 0] = publicKey;
  return String((high << 8) | low).padStart(pinDigits, "0");
}

/** Returns the key that a node got with its PIN when it joined by Long Range; empty when it has none. */
export function longRangeKeyOf({ securityManagers: { securityManagerLR } }: MockNode): Uint8Array {
  return securityManagerLR?.getKeysForSecurityClass(SecurityClass.S2_Authenticated).pnk ?? new Uint8Array();
}

/** Returns how often a joining node has said which keys it was granted. */
export function timesSaid({ state }: MockNode): number {
  return Number(state.get(saidKey) ?? 0);
}

/** The keys for which somebody enters a PIN. */
const withPin: ReadonlySet<SecurityClass> = new Set([
  SecurityClass.S2_Authenticated,
  SecurityClass.S2_AccessControl,
]);

/**
 * A joining node hides its PIN from whoever listens: its report of the public key lacks it. It says again and again
 * which keys it was granted, because the controller understands it only after the PIN was entered; the library's node
 * says once which keys it has asked for.
 */
export const keyExchangeBehaviour: MockNodeBehavior = {
  async handleCC(controller, self, received) {
    self.state.set(heardKey, Date.now());
    if (received instanceof Security2CCKEXFail) {
      self.state.delete(stateKey);
      return { action: "stop" };
    }
    const security = self.securityManagers.securityManager2;
    if (!(received instanceof Security2CCPublicKeyReport) || !received.includingNode || !security)
      return undefined;
    await deriveKeys(received.publicKey, controller, self, security);
    void repeatKeys(controller, self);
    return { action: "stop" };
  },
  transformResponse(_controller, { capabilities }, _received, response) {
    const hasPin = [...(capabilities.securityClasses ?? [])].some((each) => withPin.has(each));
    if (hasPin && response.action === "sendCC" && response.cc instanceof Security2CCPublicKeyReport) {
      response.cc.publicKey = Uint8Array.from(response.cc.publicKey).fill(0, 0, pinBytes);
    }
    return response;
  },
};

async function deriveKeys(
  publicKey: Uint8Array,
  { ownNodeId }: MockController,
  { ecdhKeyPair }: MockNode,
  security: SecurityManager2,
): Promise<void> {
  const { privateKey } = ecdhKeyPair;
  const own = Uint8Array.from(ecdhKeyPair.publicKey);
  const secret = await deriveSharedECDHSecret({ publicKey: Uint8Array.from(publicKey), privateKey });
  const keys = await deriveTempKeys(await computePRK(secret, Uint8Array.from(publicKey), own));
  security.deleteNonce(ownNodeId);
  security.tempKeys.set(ownNodeId, {
    keyCCM: keys.tempKeyCCM,
    personalizationString: keys.tempPersonalizationString,
  });
}

async function repeatKeys(controller: MockController, self: MockNode): Promise<void> {
  // A controller that repeats itself must not be answered twice, nor given up.
  const turn = {};
  self.state.set(turnKey, turn);
  const exchange = (): Exchange | undefined => self.state.get(stateKey) as Exchange | undefined;
  const isWaiting = (): boolean =>
    self.state.get(turnKey) === turn && exchange()?.stage === handshake && controller.nodes.has(self.id);
  while (isWaiting()) {
    if (await requestNonce(controller, self)) {
      const cc: CommandClass = new Security2CCKEXSet({
        nodeId: controller.ownNodeId,
        echo: true,
        selectedKEXScheme: KEXSchemes.KEXScheme1,
        selectedECDHProfile: ECDHProfiles.Curve25519,
        permitCSA: false,
        grantedKeys: [...(exchange()?.grantedKeys ?? [])],
      });
      if (isWaiting()) {
        self.state.set(saidKey, timesSaid(self) + 1);
        await send(self, Security2CC.encapsulate(cc, self.id, self.securityManagers));
      }
    }
    await quiet(self);
  }
}

/** Resolves when the controller has said nothing for a while: it may be about to answer. */
async function quiet({ state }: MockNode): Promise<void> {
  state.set(heardKey, Date.now());
  for (let left = repeatMs; left > 0; left = repeatMs - (Date.now() - Number(state.get(heardKey))))
    await new Promise<void>((resolve) => setTimeout(resolve, left).unref());
}

/** Returns whether the controller has answered. */
async function requestNonce(controller: MockController, self: MockNode): Promise<boolean> {
  const isNonce = (frame: MockZWaveFrame): frame is MockZWaveRequestFrame =>
    frame.type === MockZWaveFrameType.Request &&
    frame.payload instanceof Security2CCNonceReport &&
    frame.payload.SOS;
  const answer = self.expectControllerFrame(isNonce, { timeout: nonceWithinMs });
  await send(self, new Security2CCNonceGet({ nodeId: controller.ownNodeId }));
  return await answer.then(
    () => true,
    () => false,
  );
}

async function send(self: MockNode, cc: CommandClass): Promise<void> {
  await self.sendToController(createMockZWaveRequestFrame(cc, { ackRequested: false }));
}
