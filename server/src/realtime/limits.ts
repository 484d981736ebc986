// How much one socket, one address and everybody together may take.

export interface SocketLimits {
  readonly channels: number;
  /** Joins in any second. */
  readonly joinsPerSecond: number;
  /** Messages in any second. */
  readonly messagesPerSecond: number;
  /** Bytes that may wait for a slow reader. */
  readonly buffered: number;
  /** Milliseconds without a message, heartbeats included. */
  readonly silence: number;
}

export interface AddressLimits {
  readonly socketsPerAddress: number;
  /** Messages in any second, over sockets and HTTP. */
  readonly messagesPerSecondOfAddress: number;
  /** Channels and their requests for changes: see weightOf. */
  readonly joinedPerAddress: number;
  /** Joins in any second, over all its sockets, and as many new sockets. */
  readonly joinsPerSecondOfAddress: number;
  /** Bytes that may wait for all its sockets together. */
  readonly unreadPerAddress: number;
}

export interface Limits extends SocketLimits, AddressLimits {
  /** Bytes of one message. */
  readonly payload: number;
  /** Sockets of all addresses. */
  readonly sockets: number;
  /** Characters of all that a room's members track, as JSON: whoever joins receives it in one message. */
  readonly presence: number;
}

export const LIMITS: Limits = {
  channels: 100,
  joinsPerSecond: 50,
  messagesPerSecond: 100,
  messagesPerSecondOfAddress: 2000, // a crowd behind one address
  socketsPerAddress: 300,
  joinedPerAddress: 2000,
  joinsPerSecondOfAddress: 100, // after a restart every screen of an office joins again
  sockets: 20_000,
  buffered: 1024 * 1024,
  unreadPerAddress: 64 * 1024 * 1024, // as of answers over HTTP
  silence: 60_000, // clients send a heartbeat every 25 s
  payload: 256 * 1024,
  presence: 256 * 1024,
};

/**
 * Whoever joins again and again what is refused is read ever more slowly, which costs nothing; closing the socket would cost an
 * upgrade, as much as seven refusals. Clients of an honest page join a handful of channels and wait longer after each refusal.
 * What a socket was refused counts for its address's next ones, or closing it in time would begin anew: at most `remembered`, of
 * which one a second is forgotten.
 */
export const REFUSED_JOINS = { free: 10, restMs: 1_000, longestRestMs: 10_000, remembered: 60 };

/** Joins that ask the database at once: sign-in and orders use the same connections. */
export const CHECKS = {
  connections: 2,
  perAddress: 1,
  waitMs: 15_000,
  waiting: { perAddress: 2000, inAll: 20_000 },
};

/** Times one channel may track or untrack within a window; each is sent to everybody in the room. */
export const PRESENCE_CALLS = { most: 50, windowMs: 30_000 };
