/** How many connections there may be: at all, of one address, of those the ones that have shown no key, of one user. */
export interface ConnectionBounds {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly strangersPerAddress: number;
  readonly connectionsPerUser: number;
}

/** Connections that count together, the oldest first. */
type Crowd = Set<Connection>;

/** What a connection is of. */
export interface Peer {
  /** It has to go. */
  close(): void;
  /** Whether it was told something: before the first answer that is a part of a handshake, whose beginning came whole. */
  readonly isGreeted: boolean;
}

/** A connection that somebody has opened. */
export class Connection {
  /** Whose address counts it; undefined for one that no address is asked for. */
  readonly place: string | undefined;
  /** Who has shown a good key on it. */
  user: string | undefined;
  /** Of its user, or else of its address. */
  crowd: Crowd | undefined;
  readonly peer: Peer;
  #underWay = 0;
  #hasAsked = false;

  constructor(place: string | undefined, peer: Peer) {
    this.place = place;
    this.peer = peer;
  }

  /** A request has come whole, as far as its head. */
  begin(): void {
    this.#underWay++;
    this.#hasAsked = true;
  }

  /** A request is answered, or given up. */
  end(): void {
    this.#underWay--;
  }

  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /**
   * Who goes first: 0 whose first head has not come whole, 1 who shakes hands, 2 who waits for a next request, 3 who is
   * being answered, 4 who has shown a good key, or is not counted by address, and asks for nothing now. Undefined: stays,
   * whoever comes.
   */
  get rank(): number | undefined {
    if (this.user !== undefined || this.place === undefined) return this.isBusy ? undefined : 4;
    if (this.isBusy) return 3;
    if (this.#hasAsked) return 2;
    return this.peer.isGreeted ? 1 : 0;
  }
}

/**
 * The connections of a process, and who goes when there are too many (decision 65). Whoever comes is let in, and another
 * goes: a client gets its turn although somebody keeps its address full.
 */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #placeOf: (address: string) => string | undefined;
  readonly #open = new Set<Connection>();
  readonly #addresses = new Map<string, Crowd>();
  /** By address, those that count for its bounds: all, and those that have shown no key. */
  readonly #settled = new Map<string, Crowd>();
  readonly #strangers = new Map<string, Crowd>();
  readonly #users = new Map<string, Crowd>();

  /** @param placeOf what an address counts as, as its /64 does; undefined for one that is not counted, as a proxy is */
  constructor(bounds: ConnectionBounds, placeOf: (address: string) => string | undefined = (one) => one) {
    this.#bounds = bounds;
    this.#placeOf = placeOf;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Somebody has connected. Where no more may be open at all another goes at once.
   * @param address undefined where there is none, as on a socket of the file system
   */
  open(address: string | undefined, peer: Peer): Connection {
    const place = address === undefined ? undefined : this.#placeOf(address);
    const connection = new Connection(place, peer);
    this.#open.add(connection);
    if (place !== undefined) connection.crowd = joined(this.#addresses, place, connection);
    this.#makeRoom(this.#open, this.#bounds.connections, connection);
    return connection;
  }

  /**
   * A connection has had the time to bring its first request: from now on its address counts it. Where that has too many,
   * another goes.
   */
  settle(connection: Connection): void {
    const { place, user } = connection;
    if (place === undefined || !this.#open.has(connection)) return;
    const { strangersPerAddress, connectionsPerAddress } = this.#bounds;
    const settled = joined(this.#settled, place, connection);
    if (user === undefined)
      this.#makeRoom(joined(this.#strangers, place, connection), strangersPerAddress, connection);
    this.#makeRoom(settled, connectionsPerAddress, connection);
  }

  /** A connection is gone. */
  leave(connection: Connection): void {
    const { place, user } = connection;
    this.#open.delete(connection);
    if (place !== undefined)
      for (const crowds of [this.#addresses, this.#settled, this.#strangers])
        quitted(crowds, place, connection);
    if (user !== undefined) quitted(this.#users, user, connection);
  }

  /**
   * Somebody has shown a key on a connection: the user when it was good, undefined when it was not. Closes another of
   * that user's when there are too many, or this one where all of them are being answered.
   */
  shown(connection: Connection, user: string | undefined): void {
    const { place, user: former } = connection;
    if (former === user || place === undefined || !this.#open.has(connection)) return;
    const { strangersPerAddress, connectionsPerUser } = this.#bounds;
    if (former !== undefined) quitted(this.#users, former, connection);
    connection.user = user;
    if (user === undefined) {
      connection.crowd = this.#addresses.get(place);
      if (this.#settled.get(place)?.has(connection) !== true) return;
      return this.#makeRoom(joined(this.#strangers, place, connection), strangersPerAddress, connection);
    }
    quitted(this.#strangers, place, connection);
    connection.crowd = joined(this.#users, user, connection);
    this.#makeRoom(connection.crowd, connectionsPerUser, connection);
  }

  #makeRoom(among: Crowd, bound: number, newest: Connection): void {
    if (among.size <= bound) return;
    const connection = firstToGo(among, newest) ?? newest;
    this.leave(connection);
    connection.peer.close();
  }
}

function joined(crowds: Map<string, Crowd>, name: string, connection: Connection): Crowd {
  let crowd = crowds.get(name);
  if (crowd === undefined) crowds.set(name, (crowd = new Set()));
  return crowd.add(connection);
}

function quitted(crowds: Map<string, Crowd>, name: string, connection: Connection): void {
  const crowd = crowds.get(name);
  crowd?.delete(connection);
  if (crowd?.size === 0) crowds.delete(name);
}

/** Of the lowest rank that there is the oldest one of the largest crowd; undefined when all stay. */
function firstToGo(among: Crowd, newest: Connection): Connection | undefined {
  let found: Connection | undefined;
  let [lowest, largest] = [Infinity, 0];
  for (const each of among) {
    const { rank, crowd } = each;
    const size = crowd?.size ?? 0;
    if (each === newest || rank === undefined || rank > lowest) continue;
    if (rank === lowest && size <= largest) continue;
    found = each;
    [lowest, largest] = [rank, size];
    // Nobody's is lower or larger.
    if (rank === 0 && size >= among.size) break;
  }
  return found;
}
