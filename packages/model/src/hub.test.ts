import assert from "node:assert/strict";
import { test } from "node:test";
import { given, lamp, socket, testNow } from "@ledge/testkit";
import { roles } from "./access.ts";
import { features } from "./feature.ts";
import { houseTypes, isTimezone, timezones } from "./hub.ts";
import { limits } from "./limits.ts";

const created = { type: "HubCreated", id: "h", name: "Home", timezone: "UTC" };
const claimed = { type: "HubClaimed", id: "h", owner: "ann" };
const home = given([created]);

test("CREATE_HUB creates the one hub", () => {
  const create = { type: "CREATE_HUB", name: "Home", timezone: "UTC" };
  const shown = given()
    .when(create)
    .then([{ ...created, id: "new-1" }])
    .state("hub", "new-1");
  assert.deepEqual(shown, {
    id: "new-1",
    name: "Home",
    state: "factory_new",
    owner: null,
    timezone: "UTC",
    location: null,
    housetype: "other",
    features: [],
    activated: [],
    switchedOff: [],
    usedCodes: [],
    colors: [],
    cloud: null,
    keys: { identity: null, certificate: null },
    share: "none",
    generation: 0,
    timestamp: testNow,
  });
  home.when(create).then({ rejected: "wrong-state", message: "this hub exists already" });
});

test("CREATE_HUB uses a given id", () => {
  const create = { type: "CREATE_HUB", id: "of-a-key", name: "Home", timezone: "UTC" };
  given()
    .when(create)
    .then([{ ...created, id: "of-a-key" }]);
});

test("RENAME_HUB sets the name and an optional house type, or neither", () => {
  const rename = { type: "RENAME_HUB", id: "h", name: "Cabin" };
  const renamed = { type: "HubRenamed", id: "h", name: "Cabin" };
  const house = { type: "HouseTypeSet", id: "h", housetype: "leisure" };
  home.when(rename).then([renamed]);
  home.when({ ...rename, housetype: null }).then([renamed]);
  const shown = home
    .when({ ...rename, housetype: "leisure" })
    .then([renamed, house])
    .state("hub", "h");
  assert.deepEqual([shown?.name, shown?.housetype, shown?.timestamp], ["Cabin", "leisure", testNow]);
  home.when({ ...rename, name: "Home", housetype: "leisure" }).then([house]);
  home.when({ ...rename, name: "Home", housetype: "other" }).then([]);
  home.when({ ...rename, housetype: "castle" }).then({
    rejected: "invalid",
    message: `housetype is one of ${houseTypes.join(", ")}`,
    field: "housetype",
  });
});

test("SET_LOCATION sets both coordinates or neither", () => {
  const north = { latitude: 66.5, longitude: 25.73 };
  const set = { type: "SET_LOCATION", id: "h", ...north };
  const located = { type: "LocationSet", id: "h", location: north };
  const unset = { ...set, latitude: null, longitude: null };
  const shown = home.when(set).then([located]).state("hub", "h");
  assert.deepEqual([shown?.location, shown?.timestamp], [north, testNow]);
  home.when(unset).then([]);
  const there = given([created, located]);
  there.when(set).then([]);
  there.when({ ...set, latitude: -90 }).then([{ ...located, location: { ...north, latitude: -90 } }]);
  const back = there.when(unset).then([{ type: "LocationSet", id: "h", location: null }]);
  assert.equal(back.state("hub", "h")?.location, null);
  const message = "latitude and longitude go together";
  home.when({ ...set, latitude: null }).then({ rejected: "invalid", message, field: "latitude" });
  home.when({ ...set, longitude: null }).then({ rejected: "invalid", message, field: "longitude" });
});

test("RENAME_HUB accepts every house type of the specification", () => {
  assert.deepEqual(houseTypes, ["block", "row", "pair", "house", "leisure", "industrial", "other"]);
  for (const housetype of houseTypes.filter((code) => code !== "other")) {
    home
      .when({ type: "RENAME_HUB", id: "h", name: "Home", housetype })
      .then([{ type: "HouseTypeSet", id: "h", housetype }]);
  }
});

test("SET_TIMEZONE accepts only known time zones", () => {
  const set = (timezone: string) => ({ type: "SET_TIMEZONE", id: "h", timezone });
  const shown = home
    .when(set("Europe/Helsinki"))
    .then([{ type: "TimezoneSet", id: "h", timezone: "Europe/Helsinki" }]);
  assert.equal(shown.state("hub", "h")?.timezone, "Europe/Helsinki");
  home.when(set("UTC")).then([]);
  home.when(set("Asia/Calcutta")).then([{ type: "TimezoneSet", id: "h", timezone: "Asia/Calcutta" }]);
  for (const timezone of ["Mars/Olympus", "Etc/Unknown", "", "../UTC"]) {
    const refusal = { rejected: "invalid", message: `no time zone ${timezone}`, field: "timezone" } as const;
    home.when(set(timezone)).then(refusal);
    given().when({ type: "CREATE_HUB", name: "Home", timezone }).then(refusal);
  }
  for (const timezone of timezones()) assert.ok(isTimezone(timezone), timezone);
  assert.equal(new Set(timezones()).size, timezones().length);
  assert.equal(timezones()[0], "UTC");
});

test("SET_FEATURES sets known features, sorted and without duplicates", () => {
  const set = (...codes: number[]) => ({ type: "SET_FEATURES", id: "h", features: codes });
  const setTo = (...codes: number[]) => [{ type: "FeaturesSet", id: "h", features: codes }];
  const shown = home.when(set(21, 5, 5, 1)).then(setTo(1, 5, 21));
  assert.deepEqual(shown.state("hub", "h")?.features, [1, 5, 21]);
  home.when(set()).then([]);
  given([created, ...setTo(1, 5)])
    .when(set(5, 1))
    .then([]);
  given([created, ...setTo(1, 5)])
    .when(set())
    .then(setTo());
  home.when(set(...Object.values(features))).then(setTo(...Object.values(features)));
  for (const code of [0, 26, 31, 33, -1]) {
    home.when(set(1, code)).then({ rejected: "invalid", message: `no feature ${code}`, field: "features" });
  }
});

test("CLAIM_HUB makes the owner once", () => {
  const claim = { type: "CLAIM_HUB", id: "h", userId: "ann", email: "ann@example.org" };
  const added = { type: "UserAdded", id: "ann", email: "ann@example.org", nickname: "ann", phone: null };
  const after = home.when(claim).then([claimed, { ...added, role: roles.OWNER_ADMIN }]);
  const { state, owner } = after.state("hub", "h") ?? {};
  assert.deepEqual(
    [state, owner, after.state("user", "ann")?.user_info.role],
    ["claimed", "ann", roles.OWNER_ADMIN],
  );
  given([created, claimed])
    .when({ ...claim, userId: "bob" })
    .then({ rejected: "wrong-state", message: "this hub is claimed already" });
});

test("OPEN_EPOCH opens a new epoch each time", () => {
  const opened = [{ type: "EpochOpened", id: "h", reason: "restored" }];
  const shown = given([created, ...opened])
    .when({ type: "OPEN_EPOCH", id: "h", reason: "restored" })
    .then(opened);
  assert.deepEqual(shown.state("hub", "h")?.timestamp, testNow);
});

test("NOTE_SPAN_LOST records a lost span, with either end open", () => {
  for (const span of [
    { from: 5, to: 9, commits: 2, problem: "page 7" },
    { from: 0, to: null, commits: null, problem: "a damaged frame" },
  ]) {
    const lost = { type: "SpanLost", id: "h", ...span };
    const shown = given([created, lost])
      .when({ type: "NOTE_SPAN_LOST", id: "h", ...span })
      .then([lost]);
    assert.equal(shown.state("hub", "h")?.timestamp, testNow);
  }
});

test("NOTE_ASKED records what an adapter was asked, and about which device", () => {
  for (const device of ["camera", null])
    home
      .when({ type: "NOTE_ASKED", id: "h", request: "SET_WIFI", device })
      .then([{ type: "AdapterAsked", id: "h", request: "SET_WIFI", device }]);
});

test("NOTE_REMOTE_CALLS records calls and leaves the hub unchanged", () => {
  for (const call of [
    { user: "u", row: "GET /rooms", status: 200, count: 1 },
    { user: null, row: null, status: null, count: 9 },
  ]) {
    const shown = home
      .when({ type: "NOTE_REMOTE_CALLS", id: "h", ...call })
      .then([{ type: "RemoteCalled", id: "h", ...call }]);
    assert.deepEqual(shown.state("hub", "h"), home.state("hub", "h"));
  }
});

test("OPEN_GENERATION opens one that is newer than all known ones", () => {
  const open = { type: "OPEN_GENERATION", id: "h" };
  const opened = (generation: number) => ({ type: "GenerationOpened", id: "h", generation }) as const;
  const shown = home.when(open).then([opened(testNow)]);
  assert.equal(shown.state("hub", "h")?.generation, testNow);
  home.when({ ...open, above: testNow + 7 }).then([opened(testNow + 8)]);
  given([created, opened(testNow + 20)])
    .when({ ...open, above: testNow + 7 })
    .then([opened(testNow + 21)]);
});

test("NOTE_STOP records what was requested", () => {
  given([created])
    .when({ type: "NOTE_STOP", id: "h", act: "reboot" })
    .then([{ type: "StopRequested", id: "h", act: "reboot" }]);
});

test("NOTE_BACKUP records who has a backup", () => {
  const note = { type: "NOTE_BACKUP", id: "h", name: "asked.ledge" };
  for (const [act, type] of [
    ["made", "BackupMade"],
    ["read", "BackupRead"],
  ] as const)
    given([created])
      .when({ ...note, act })
      .then([{ type, id: "h", name: "asked.ledge" }]);
});

test("NOTE_CLOCK_JUMP records a jump of the clock", () => {
  const jumped = [{ type: "ClockJumped", id: "h", from: 1, to: 2, trusted: true }];
  home.when({ type: "NOTE_CLOCK_JUMP", id: "h", from: 1, to: 2, trusted: true }).then(jumped);
});

test("commands for another hub are refused", () => {
  for (const command of [
    { type: "RENAME_HUB", name: "A" },
    { type: "SET_TIMEZONE", timezone: "UTC" },
    { type: "SET_FEATURES", features: [] },
    { type: "CLAIM_HUB", userId: "ann", email: "a@example.org" },
    { type: "OPEN_EPOCH", reason: "restored" },
    { type: "NOTE_SPAN_LOST", from: 0, to: 1, commits: 1, problem: "gone" },
    { type: "NOTE_CLOCK_JUMP", from: 1, to: 2, trusted: true },
  ]) {
    home.when({ ...command, id: "other" }).then({ rejected: "not-found", message: "no hub other" });
  }
  assert.equal(given([{ type: "HubRenamed", id: "other", name: "A" }]).state("hub", "other"), undefined);
});

test("SET_HOUSE_TYPE keeps the name", () => {
  const set = { type: "SET_HOUSE_TYPE", id: "h", housetype: "row" };
  home.when(set).then([{ type: "HouseTypeSet", id: "h", housetype: "row" }]);
  home.when({ ...set, housetype: "other" }).then([]);
  home.when({ ...set, housetype: "castle" }).then({ rejected: "invalid", field: "housetype" });
});

test("ADD_COLOR keeps each colour once, and the newest up to the limit", () => {
  const add = (color: string) => ({ type: "ADD_COLOR", id: "h", color });
  const set = (colors: string[]) => ({ type: "ColorsSet", id: "h", colors });
  home.when(add("#FF8000")).then([set(["#ff8000"])]);
  given([created, set(["#ff8000"])])
    .when(add("#fF8000"))
    .then([]);
  for (const color of ["", "red", "#ff800", "#ff80000", "ff8000", "#gg8000"]) {
    home.when(add(color)).then({ rejected: "invalid", field: "color" });
  }
  const many = Array.from({ length: limits.colors }, (_, index) => `#${String(index).padStart(6, "0")}`);
  given([created, set(many.slice(1))])
    .when(add("#ffffff"))
    .then([set([...many.slice(1), "#ffffff"])]);
  given([created, set(many)])
    .when(add("#ffffff"))
    .then([set([...many.slice(1), "#ffffff"])]);
  given([created, set(many)])
    .when({ type: "CLEAR_COLORS", id: "h" })
    .then([set([])]);
  home.when({ type: "CLEAR_COLORS", id: "h" }).then([]);
});

test("LOCK_CONFIGURATION locks all devices; the owner unlocks them one by one", () => {
  const lock = (id: string, locked = true) => ({ type: "DeviceLockSet", id, locked });
  const all = { type: "LOCK_CONFIGURATION", id: "h" };
  const done = { type: "ConfigurationLocked", id: "h" };
  const after = given([created, lamp, socket, lock("lamp")])
    .when(all)
    .then([lock("socket"), done]);
  assert.equal(after.state("device", "socket")?.rwx, 365);
  // A device that is paired later stays unlocked until it is set up.
  const later = given([created, done, lamp]);
  assert.equal(later.state("device", "lamp")?.rwx, 509);
  later.when(all).then([lock("lamp"), done]);
  const whole = given([created, lamp, socket, lock("lamp"), lock("socket")]);
  whole.when(all).then([done]);
  whole.when({ type: "REMOVE_DEVICE", id: "lamp" }).then({ rejected: "forbidden", field: "id" });
  whole
    .when({ type: "CMD_DEVICE_META", id: "lamp", name: "Spot" })
    .then([{ type: "DeviceRenamed", id: "lamp", name: "Spot" }]);
  whole.when({ type: "CMD_DEVICE_LOCK", id: "lamp", locked: false }).then([lock("lamp", false)]);
});
