const { createCipheriv } = require("node:crypto");

/**
 * Decrypts AES-128-CCM* (IEEE 802.15.4-2020, annex B) without verifying the tag: the caller, which knows the
 * header of the Green Power frame, verifies it.
 * @param {number} tagBytes length of the tag at the end of `data`
 * @param {Buffer} key 16 bytes
 * @param {Buffer} nonce 13 bytes
 * @param {Buffer} data the ciphertext and its tag
 * @returns {[tag: Buffer, opened: Buffer]}
 */
function aes128CcmStar(tagBytes, key, nonce, data) {
  const end = data.length - tagBytes;
  if (end < 0) throw new RangeError(`${data.length} bytes hold no tag of ${tagBytes}`);
  // Block 0 of the key stream belongs to the tag, and the text starts at block 1. The two-byte length is flag
  // 1.
  const counter = Buffer.concat([Buffer.from([1]), nonce, Buffer.alloc(2)]);
  const stream = createCipheriv("aes-128-ctr", key, counter);
  const first = Buffer.alloc(16);
  data.copy(first, 0, end);
  const tag = stream.update(first).subarray(0, tagBytes);
  return [tag, stream.update(data.subarray(0, end))];
}

module.exports = { aes128CcmStar };
