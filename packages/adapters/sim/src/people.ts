import type { Air, House, Person, Place, RoomName } from "./house.ts";
import type { Random } from "./random.ts";
import { happens } from "./random.ts";

export const inhabitants: readonly Person[] = [
  { name: "Aino", place: "living", until: 0, works: [8, 16.5] },
  { name: "Otso", place: "kitchen", until: 0, works: null },
];

const minuteMs = 60_000;
const doorMs = 6000;

/** Where people like to be, by weight. */
const day: readonly (readonly [RoomName, number])[] = [
  ["living", 5],
  ["kitchen", 4],
  ["bedroom", 1],
  ["bathroom", 1],
  ["utility", 1],
  ["hallway", 1],
];
const morning: readonly (readonly [RoomName, number])[] = [
  ["kitchen", 5],
  ["bathroom", 4],
  ["bedroom", 2],
  ["hallway", 1],
];
const night: readonly (readonly [RoomName, number])[] = [
  ["bedroom", 30],
  ["bathroom", 1],
];

/** Moves people for `ms`: updates where they are, the air of each room and the front door. */
export function stepPeople(house: House, ms: number, random: Random): House {
  const now = house.now + ms;
  let { doorOpenUntil } = house;
  const moved = new Set<Place>();
  const people = house.people.map((person) => {
    if (person.place !== "away" && isAwake(house.hour) && happens(random, ms, minuteMs / 2))
      moved.add(person.place);
    if (now < person.until) return person;
    const next = goesOn(person, house, now, random);
    if (person.until > 0 && (next.place === "away") !== (person.place === "away")) {
      doorOpenUntil = now + doorMs;
      moved.add("outdoors");
    }
    if (next.place !== "away") moved.add(next.place);
    if (next.place !== person.place) moved.add("hallway");
    return next;
  });
  const air: Record<Place, Air> = { ...house.air };
  for (const place of Object.keys(air) as Place[]) {
    const here = people.filter((person) => person.place === place).length;
    air[place] = { ...air[place], people: here, movedAt: moved.has(place) ? now : air[place].movedAt };
  }
  return { ...house, people, air, doorOpenUntil };
}

function isAwake(hour: number): boolean {
  return hour >= 6.5 && hour < 23;
}

function goesOn(person: Person, { hour }: House, now: number, random: Random): Person {
  const isWeekday = [1, 2, 3, 4, 5].includes(new Date(now).getUTCDay());
  if (person.works && isWeekday && hour >= person.works[0] && hour < person.works[1]) {
    return { ...person, place: "away", until: now + (person.works[1] - hour + random()) * 60 * minuteMs };
  }
  if (isAwake(hour) && person.place !== "away" && random() < 0.02) {
    return { ...person, place: "away", until: now + (20 + 60 * random()) * minuteMs };
  }
  const asleep = !isAwake(hour);
  const place = pick(asleep ? night : hour < 9 ? morning : day, random);
  const minutes = asleep && place === "bedroom" ? 60 + 60 * random() : stay(place, random);
  return { ...person, place, until: now + minutes * minuteMs };
}

function stay(place: RoomName, random: Random): number {
  return place === "hallway" ? 0.5 : place === "bathroom" ? 3 + 8 * random() : 5 + 25 * random();
}

function pick(weights: readonly (readonly [RoomName, number])[], random: Random): RoomName {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  let left = random() * total;
  for (const [room, weight] of weights) {
    left -= weight;
    if (left < 0) return room;
  }
  return "living";
}
