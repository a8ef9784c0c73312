const { createCipheriv } = require("node:crypto");

/**
 * Opens what AES-128-CCM* has closed (IEEE 802.15.4-2020, annex B), without a look at its tag: a Green Power frame is
 * checked by whoever knows its head.
 * @param {number} tagBytes length of the tag at the end of `data`
 * @param {Buffer} key 16 bytes
 * @param {Buffer} nonce 13 bytes
 * @param {Buffer} data what is closed, and its tag
 * @returns {[tag: Buffer, opened: Buffer]}
 */
function aes128CcmStar(tagBytes, key, nonce, data) {
  const end = data.length - tagBytes;
  if (end < 0) throw new RangeError(`${data.length} bytes hold no tag of ${tagBytes}`);
  // Block 0 of the key stream is the tag's, the text begins at block 1; the length takes two bytes, which is flag 1.
  const counter = Buffer.concat([Buffer.from([1]), nonce, Buffer.alloc(2)]);
  const stream = createCipheriv("aes-128-ctr", key, counter);
  const first = Buffer.alloc(16);
  data.copy(first, 0, end);
  const tag = stream.update(first).subarray(0, tagBytes);
  return [tag, stream.update(data.subarray(0, end))];
}

module.exports = { aes128CcmStar };
