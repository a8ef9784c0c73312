import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { newSecret, signatureHeaders } from "./signing.ts";

test("signs the example of Standard Webhooks as the specification does", () => {
  // From the specification's own test vectors.
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const headers = signatureHeaders("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, '{"test": 2432232314}', [
    secret,
  ]);
  assert.deepEqual(headers, {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("has one signature for each secret, and a secret of its own each time", () => {
  const secrets = [newSecret(randomBytes), newSecret(randomBytes)];
  assert.notEqual(...(secrets as [string, string]));
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  }
  const signatures = signatureHeaders("a", 1, "{}", secrets)["webhook-signature"]?.split(" ") ?? [];
  assert.equal(signatures.length, 2);
  assert.equal(signatures[0], signatureHeaders("a", 1, "{}", secrets.slice(0, 1))["webhook-signature"]);
});
