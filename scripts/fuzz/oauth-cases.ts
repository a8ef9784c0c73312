// The cases of the OAuth2 server, one for each endpoint and grant; docs/fuzz.md.
import { broughtBy, hostilePlaces, type OAuthCase } from "./oauth-problems.ts";
import { type Entries, isIntact, type Spoilt, spoiltForm } from "./oauth-requests.ts";
import { type FuzzClient, Jar, type OAuthWorld, verifier } from "./oauth-world.ts";
import { hostileValue, type Source, spoilt } from "./values.ts";

/** Makes a case. It depends only on the source and the world. */
export type Make = (source: Source, world: OAuthWorld) => Promise<OAuthCase>;

const credentials = ({ clientId, clientSecret }: FuzzClient): Entries => [
  ["client_id", clientId],
  ...(clientSecret === "" ? [] : ([["client_secret", clientSecret]] as const)),
];

/** Values of others for the fields of a client. */
function foreignTo(client: FuzzClient, { clients, world }: OAuthWorld): Record<string, readonly string[]> {
  const others = clients.filter((each) => each !== client);
  return {
    client_id: [...others.map(({ clientId }) => clientId), "none", "__proto__"],
    client_secret: [...others.flatMap(({ clientSecret }) => clientSecret || []), "", "none"],
    redirect_uri: others.flatMap(({ redirectUris }) => redirectUris),
    code_verifier: ["w".repeat(43), "", verifier.slice(1)],
    email: [world.people.other.email, world.people.owner.email, "nobody@fuzz.example"],
  };
}

/** Makes a case of a form that is posted. */
function posted(
  path: string,
  form: Spoilt,
): Pick<OAuthCase, "method" | "path" | "headers" | "body" | "kind"> {
  const type = form.contentType === "" ? [] : [`Content-Type: ${form.contentType}`];
  return {
    method: "POST",
    path,
    headers: [...type, ...form.headers],
    body: Buffer.from(form.text),
    kind: form.kind,
  };
}

function secretsOf({ clients, world }: OAuthWorld): string[] {
  const tokens = [world.people.owner.token, world.people.other.token];
  return [...clients.flatMap(({ clientSecret }) => clientSecret || []), ...tokens];
}

/** Makes a case of the token endpoint. @param sub the account that a token is for */
function tokenCase(
  name: string,
  client: FuzzClient,
  rest: Entries,
  sub: string,
  {
    source,
    world,
    foreign = {},
  }: { source: Source; world: OAuthWorld; foreign?: Record<string, readonly string[]> },
): OAuthCase {
  const entries: Entries = [...credentials(client), ...rest];
  const form = spoiltForm(entries, source, { ...foreignTo(client, world), ...foreign });
  const needed = entries.map(([each]) => each).filter((each) => each !== "scope");
  // Of a client with one address all know which it is.
  const spare = client.redirectUris.length === 1 ? ["redirect_uri"] : [];
  return {
    name,
    ...posted("/oauth2/token", form),
    places: [],
    mayGetCode: false,
    claims: isIntact(form, entries, needed, spare) ? { client_id: client.clientId, sub } : undefined,
    secrets: secretsOf(world),
  };
}

export const cases: Readonly<Record<string, Make>> = {
  async auth(source, world) {
    const client = source.random.pick(world.clients);
    const query = spoiltForm(world.query(client), source, foreignTo(client, world));
    const isLoggedIn = source.random.chance(0.5);
    const isPosted = source.random.chance(0.2);
    const named = world.clients.filter(({ clientId }) =>
      query.entries.some(([name, value]) => name === "client_id" && value === clientId),
    );
    return {
      name: "auth",
      ...posted("/oauth2/auth", query),
      ...(!isPosted && {
        method: "GET",
        path: `/oauth2/auth?${onTheWire(query.text)}`,
        body: Buffer.alloc(0),
      }),
      headers: [...query.headers, ...(isLoggedIn ? [world.browser.line] : [])],
      places: named.flatMap(({ redirectUris }) => redirectUris),
      mayGetCode: isLoggedIn,
      claims: undefined,
      secrets: secretsOf(world),
    };
  },
  async consent(source, world) {
    const client = source.random.pick(world.clients);
    const { path } = await world.go("GET", world.start(client), world.browser);
    const own = [["step", "consent"]] as const;
    const form = spoiltForm(own, source, foreignTo(client, world));
    // The cookie of an interaction is what tells one browser from another.
    const isMine = source.random.chance(0.8);
    const sent = posted(path, form);
    return {
      name: "consent",
      ...sent,
      headers: [...sent.headers, ...(isMine ? [world.browser.line] : [])],
      places: isMine ? client.redirectUris : [],
      // The form leads on within the cloud, and only from there to the client.
      mayGetCode: false,
      claims: undefined,
      secrets: secretsOf(world),
    };
  },
  async login(source, world) {
    const client = source.random.pick(world.clients);
    const jar = new Jar();
    const { path } = await world.go("GET", world.start(client), jar);
    const own: Entries = [
      ["step", source.random.pick(["email", "password", "cancel"])],
      ["email", source.random.pick(["nobody@fuzz.example", "a@b", "x"])],
      ["password", "AAAAAA"],
    ];
    const form = spoiltForm(own, source, foreignTo(client, world));
    const sent = posted(path, form);
    const isMine = source.random.chance(0.8);
    return {
      name: "login",
      ...sent,
      headers: [...sent.headers, ...(isMine ? [jar.line] : [])],
      places: client.redirectUris,
      mayGetCode: false,
      claims: undefined,
      secrets: secretsOf(world),
    };
  },
  async code(source, world) {
    const client = source.random.pick(world.clients);
    const rest: Entries = [
      ["grant_type", "authorization_code"],
      ["code", await world.code(client)],
      ["redirect_uri", client.redirectUris[0] ?? ""],
      ["code_verifier", verifier],
    ];
    return tokenCase("code", client, rest, world.ownerId, { source, world });
  },
  async refresh(source, world) {
    const [client] = world.clients as [FuzzClient];
    world.refreshToken ??= await newRefreshToken(world, client);
    const rest: Entries = [
      ["grant_type", "refresh_token"],
      ["refresh_token", world.refreshToken],
      ["scope", "platform.read"],
    ];
    return tokenCase("refresh", client, rest, world.ownerId, { source, world });
  },
  async alone(source, world) {
    const client = source.random.pick(world.clients);
    const rest: Entries = [
      ["grant_type", "client_credentials"],
      ["scope", "platform.read"],
    ];
    const made = tokenCase("alone", client, rest, client.clientId, { source, world });
    return client.clientSecret === "" ? { ...made, claims: undefined } : made;
  },
  async revocation(source, world) {
    const client = source.random.pick(world.clients);
    const made = tokenCase("revocation", client, [["token", "none"]], "", { source, world });
    return { ...made, path: "/oauth2/token/revocation", claims: undefined };
  },
  async client(source, world) {
    const { token } = world.world.people.owner;
    const fields = {
      type: "CreateClientCommand",
      tenantId: world.ownerId,
      name: "Made",
      scopes: ["openid", "platform.read"],
      redirectUris: ["https://app.example/callback"],
      isPublic: source.random.chance(0.5),
      ...(source.random.chance(0.2) && { keys: [{ kty: "OKP", crv: "Ed25519", x: "A".repeat(43) }] }),
    };
    const isPlain = source.random.chance(0.2);
    const hostile = source.random.chance(0.5) ? [source.random.pick(hostilePlaces)] : hostileValue(source);
    const command = isPlain
      ? fields
      : Array.isArray(hostile) && typeof hostile[0] === "string"
        ? { ...fields, redirectUris: hostile }
        : { ...(spoilt(fields, hostile, source.random) as object), type: fields.type };
    return {
      name: "client",
      method: "PUT",
      path: "/graph/command",
      headers: [`Authorization: ${token}`, "Content-Type: application/json"],
      body: Buffer.from(JSON.stringify({ command })),
      kind: isPlain ? "plain" : "hostile",
      places: [],
      mayGetCode: false,
      claims: undefined,
      secrets: secretsOf(world),
    };
  },
};

async function newRefreshToken(world: OAuthWorld, client: FuzzClient): Promise<string> {
  const sent = await world.ask("POST", "/oauth2/token", undefined, [
    ...credentials(client),
    ["grant_type", "authorization_code"],
    ["code", await world.code(client)],
    ["redirect_uri", client.redirectUris[0] ?? ""],
    ["code_verifier", verifier],
  ]);
  return broughtBy(sent).refresh ?? fail(`no refresh token: ${sent.status} ${sent.body}`);
}

function fail(message: string): never {
  throw new Error(message);
}

/** A line of a request has neither spaces nor line ends. */
function onTheWire(text: string): string {
  return text.replaceAll(/[\s#]/g, (character) => encodeURIComponent(character));
}
