import assert from "node:assert/strict";
import { test } from "node:test";
import { addressFrom, headersFromHub, headersToHub } from "./headers.ts";

test("headersToHub drops the cloud token and connection headers, and sets the client's address", () => {
  const headers = {
    authorization: "cloud-token",
    "x-hub-key": "hub-key",
    "accept-language": "nb",
    "content-type": "application/json",
    "content-length": "5",
    connection: "keep-alive, X-Mine",
    "x-mine": "1",
    "transfer-encoding": "chunked",
    upgrade: "h2c",
    te: "trailers",
    cookie: "a=b",
    expect: "100-continue",
    "x-forwarded-for": "203.0.113.9",
    "x-real-ip": "203.0.113.9",
    ":path": "/elsewhere",
  };
  const passed = headersToHub(headers, "192.0.2.7");
  assert.deepEqual(passed, {
    "x-hub-key": "hub-key",
    "accept-language": "nb",
    "content-type": "application/json",
    "content-length": "5",
    "x-forwarded-for": "192.0.2.7",
  });
  assert.equal(addressFrom(passed), "192.0.2.7");
  assert.equal(addressFrom({}), undefined);
});

test("headersFromHub passes only headers about the body, and drops those that are the cloud's to set", () => {
  const headers = {
    ":status": "200",
    "content-type": "text/plain",
    connection: "close, X-Mine",
    "x-mine": "1",
    "keep-alive": "timeout=5",
    "transfer-encoding": "chunked",
    "retry-after": "5",
    vary: ["a", "b"],
    "set-cookie": ["a=1"],
    "alt-svc": 'h2="elsewhere:443"',
    "strict-transport-security": "max-age=1",
    "clear-site-data": "*",
    location: "/ui/0.2/user",
    refresh: "0; url=/ui/0.2/user",
    link: "</x>; rel=preload",
    "content-security-policy": "none",
    "access-control-allow-credentials": "true",
    "x-none": undefined,
  };
  assert.deepEqual(headersFromHub(headers), {
    "content-type": "text/plain",
    "retry-after": "5",
    vary: ["a", "b"],
  });
});
