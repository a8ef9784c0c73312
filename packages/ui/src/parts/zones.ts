/** Rooms that follow one another under the name of a zone; under none for null. */
export interface RoomsOfZone {
  readonly zone: string | null;
  readonly rooms: readonly string[];
}

/** Which devices are where, by ids. */
export interface Places {
  readonly inRoom: (room: string) => readonly string[];
  readonly inZone: (zone: string) => readonly string[];
}

/**
 * Returns the rooms by zone, both in their order, and last those of no zone. The hub knows the zones of devices alone, and
 * a zone may go across rooms: a room is part of a zone that at least half of its devices are in, of the one with most.
 */
export function roomsByZone(
  rooms: readonly string[],
  zones: readonly string[],
  { inRoom, inZone }: Places,
): readonly RoomsOfZone[] {
  const members = zones.map((zone) => ({ zone, ids: new Set(inZone(zone)) }));
  const found = new Map<string | null, string[]>([...zones, null].map((zone) => [zone, []]));
  for (const room of rooms) {
    const devices = inRoom(room);
    let of: string | null = null;
    let most = 0;
    for (const { zone, ids } of members) {
      const count = devices.filter((id) => ids.has(id)).length;
      if (count > most && count * 2 >= devices.length) [of, most] = [zone, count];
    }
    found.get(of)?.push(room);
  }
  return [...found].flatMap(([zone, of]) => (of.length === 0 ? [] : [{ zone, rooms: of }]));
}
