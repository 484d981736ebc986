// How much one socket, one address and all of them together may use.

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
  /** Joins in any second, over all its sockets. The same number of new sockets is allowed. */
  readonly joinsPerSecondOfAddress: number;
  /** Unread bytes of all its sockets together. */
  readonly unreadPerAddress: number;
}

export interface Limits extends SocketLimits, AddressLimits {
  /** Bytes of one message. */
  readonly payload: number;
  /** Sockets of all addresses together. */
  readonly sockets: number;
  /** Characters of everything a room's members track, as JSON: a new member receives it in one message. */
  readonly presence: number;
}

export const LIMITS: Limits = {
  channels: 100,
  joinsPerSecond: 50,
  messagesPerSecond: 100,
  messagesPerSecondOfAddress: 2000, // a crowd may be behind one address
  socketsPerAddress: 300,
  joinedPerAddress: 2000,
  joinsPerSecondOfAddress: 100, // after a restart every screen of an office joins again
  sockets: 20_000,
  buffered: 1024 * 1024,
  unreadPerAddress: 64 * 1024 * 1024, // the same as for HTTP responses
  silence: 60_000, // clients send a heartbeat every 25 s
  payload: 256 * 1024,
  presence: 256 * 1024,
};

/**
 * A client that keeps repeating refused joins is read more and more slowly, which costs nothing. Closing the socket would cost
 * an upgrade, as much as seven refusals. Clients of a well-behaved page join a handful of channels and wait longer after each
 * refusal. A socket's refusals count for the address's next sockets, otherwise closing it in time would reset them: at most
 * `remembered`, of which one is forgotten each second.
 */
export const REFUSED_JOINS = { free: 10, restMs: 1_000, longestRestMs: 10_000, remembered: 60 };

/** Joins that query the database at once: sign-in and functions use the same connections. */
export const CHECKS = {
  connections: 2,
  perAddress: 1,
  waitMs: 15_000,
  waiting: { perAddress: 2000, inAll: 20_000 },
};

/** How often one channel may track or untrack within a window; each call is sent to everybody in the room. */
export const PRESENCE_CALLS = { most: 50, windowMs: 30_000 };
