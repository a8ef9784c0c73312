import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const [port, secret] = process.argv.slice(2);
const key = Buffer.from(secret.replace("whsec_", ""), "base64");
const known = new Set();
createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": given = "" } = request.headers;
  const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest();
  const isSigned = given.split(" ").some((one) => {
    const digest = Buffer.from(one.replace("v1,", ""), "base64");
    return digest.length === signature.length && timingSafeEqual(digest, signature);
  });
  if (!isSigned || Math.abs(Date.now() / 1000 - at) > 300) return response.writeHead(401).end();
  const news = JSON.parse(body).events.filter(({ ref, path }) => !known.has(`${ref} ${path}`));
  for (const { ref, type, path } of news) {
    known.add(`${ref} ${path}`);
    console.log(type, path);
  }
  response.writeHead(204).end();
}).listen(Number(port), "127.0.0.1");
