/** The limits of connections: in all, of one address, of one address without a key, and of one user. */
export interface ConnectionBounds {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly strangersPerAddress: number;
  readonly connectionsPerUser: number;
}

/** Connections that count together, oldest first. */
type Crowd = Set<Connection>;

/** The other end of a connection. */
export interface Peer {
  /** Closes the connection. */
  close(): void;
  /** Whether it has got a part of a handshake, so that its first message came complete. */
  readonly isGreeted: boolean;
}

/** An open connection. */
export class Connection {
  /** The address group that counts it; undefined for one that is not counted by address. */
  readonly place: string | undefined;
  /** The user who has shown a valid key on it. */
  user: string | undefined;
  /** Its user's connections, or else its address's. */
  crowd: Crowd | undefined;
  readonly peer: Peer;
  #underWay = 0;
  #hasAsked = false;

  constructor(place: string | undefined, peer: Peer) {
    this.place = place;
    this.peer = peer;
  }

  /** The head of a request has arrived. */
  begin(): void {
    this.#underWay++;
    this.#hasAsked = true;
  }

  /** A request has been answered or given up. */
  end(): void {
    this.#underWay--;
  }

  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /**
   * The order of closing: 0 the first head is incomplete, 1 in a handshake, 2 waiting for a next request, 3
   * being answered, 4 waiting, with a valid key or not counted by address. Undefined: never closed for
   * others.
   */
  get rank(): number | undefined {
    if (this.user !== undefined || this.place === undefined) return this.isBusy ? undefined : 4;
    if (this.isBusy) return 3;
    if (this.#hasAsked) return 2;
    return this.peer.isGreeted ? 1 : 0;
  }
}

/**
 * The connections of a process, with the choice of the one to close when there are too many (decision 65). A
 * new connection is always accepted and another one closed, so that clients get their turn even if somebody
 * keeps the process or their address full.
 */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #placeOf: (address: string) => string | undefined;
  readonly #open = new Set<Connection>();
  readonly #addresses = new Map<string, Crowd>();
  /** By address, the connections that count for its limits: all, and those without a key. */
  readonly #settled = new Map<string, Crowd>();
  readonly #strangers = new Map<string, Crowd>();
  readonly #users = new Map<string, Crowd>();

  /**
   * @param placeOf returns what an address counts as, such as its /64; undefined for one that is not counted,
   * such as a proxy
   */
  constructor(bounds: ConnectionBounds, placeOf: (address: string) => string | undefined = (one) => one) {
    this.#bounds = bounds;
    this.#placeOf = placeOf;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Adds a connection. If the process has too many, it closes another one at once.
   * @param address undefined if there is none, as on a socket of the file system
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
   * The connection has had time to send its first request, so its address now counts it. If the address has
   * too many, another one is closed.
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

  /** A connection was closed. */
  leave(connection: Connection): void {
    const { place, user } = connection;
    this.#open.delete(connection);
    if (place !== undefined)
      for (const crowds of [this.#addresses, this.#settled, this.#strangers])
        quitted(crowds, place, connection);
    if (user !== undefined) quitted(this.#users, user, connection);
  }

  /**
   * A key was shown on a connection: of this user if valid, undefined if not. Closes another connection of a
   * user with too many, or this one if all the others are being answered.
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

/** Returns the oldest connection of the largest crowd in the lowest rank; undefined when all must stay. */
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
    // No other can have a lower rank or a larger crowd.
    if (rank === 0 && size >= among.size) break;
  }
  return found;
}
