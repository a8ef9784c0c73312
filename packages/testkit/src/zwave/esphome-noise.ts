import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
} from "node:crypto";

/** The cipher suite of ESPHome's native API, and what both sides have agreed on before. */
const suite = "Noise_NNpsk0_25519_ChaChaPoly_SHA256";
const prologue = "NoiseAPIInit\0\0";
const cipher = "chacha20-poly1305";
const keyBytes = 32;
const tagBytes = 16;
const empty = Buffer.alloc(0);

/** One direction of an encrypted line: counts its messages. */
export class NoiseCipher {
  readonly #key: Uint8Array;
  #count = 0n;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  seal(plain: Uint8Array, more: Uint8Array = empty): Buffer {
    const sealing = createCipheriv(cipher, this.#key, this.#nonce(), { authTagLength: tagBytes });
    sealing.setAAD(more, { plaintextLength: plain.length });
    return Buffer.concat([sealing.update(plain), sealing.final(), sealing.getAuthTag()]);
  }

  /** @throws Error when somebody with another key has sealed it */
  open(sealed: Uint8Array, more: Uint8Array = empty): Buffer {
    const opening = createDecipheriv(cipher, this.#key, this.#nonce(), { authTagLength: tagBytes });
    const plain = sealed.subarray(0, -tagBytes);
    opening.setAAD(more, { plaintextLength: plain.length });
    opening.setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([opening.update(plain), opening.final()]);
  }

  #nonce(): Buffer {
    const nonce = Buffer.alloc(12);
    nonce.writeBigUInt64LE(this.#count, 4);
    this.#count += 1n;
    return nonce;
  }
}

/** What the side that is called answers, and the two directions of the line afterwards. */
export interface Answered {
  readonly reply: Buffer;
  readonly from: NoiseCipher;
  readonly to: NoiseCipher;
}

/**
 * Answers the first message of a handshake (Noise, pattern NNpsk0).
 * @throws Error when the caller has another key
 */
export function answerHandshake(key: Uint8Array, message: Uint8Array): Answered {
  let hash = sha256(Buffer.from(suite));
  let chain = hash;
  let sealed = new NoiseCipher(key);
  const mixHash = (data: Uint8Array): void => void (hash = sha256(hash, data));
  const mixKey = (data: Uint8Array): void => {
    const [next = empty, own = empty] = derived(chain, data, 2);
    chain = next;
    sealed = new NoiseCipher(own);
  };
  mixHash(Buffer.from(prologue));
  const [next = empty, mixed = empty] = derived(chain, key, 3);
  chain = next;
  mixHash(mixed);
  const theirs = message.subarray(0, keyBytes);
  mixHash(theirs);
  mixKey(theirs);
  const rest = message.subarray(keyBytes);
  sealed.open(rest, hash);
  mixHash(rest);
  const pair = generateKeyPairSync("x25519");
  const ours = Buffer.from(pair.publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  mixHash(ours);
  mixKey(ours);
  const x = Buffer.from(theirs).toString("base64url");
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "X25519", x }, format: "jwk" });
  mixKey(diffieHellman({ privateKey: pair.privateKey, publicKey }));
  const reply = Buffer.concat([ours, sealed.seal(empty, hash)]);
  const [from = empty, to = empty] = derived(chain, empty, 2);
  return { reply, from: new NoiseCipher(from), to: new NoiseCipher(to) };
}

function derived(chain: Uint8Array, data: Uint8Array, count: number): readonly Buffer[] {
  const temporary = hmac(chain, data);
  const keys: Buffer[] = [];
  while (keys.length < count)
    keys.push(hmac(temporary, Buffer.concat([keys.at(-1) ?? empty, Buffer.of(keys.length + 1)])));
  return keys;
}

function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
