// The server's time on a device whose own clock may be hours off. The offset is learned from every response. Queued scans
// are ordered by a counter, never by this.

export interface GateClock {
  /** Milliseconds, by the server's clock. */
  now: () => number;
  /** How far the device is behind the server; negative when it is ahead. */
  offset: () => number;
  /** Learns from `serverNow` in a response that arrives now, to a request sent at `sentAt`, both by the device's clock. */
  learn: (serverNow: number, sentAt: number) => void;
}

/** A slower response says too little about when the server wrote it. */
const SLOW_ANSWER_MS = 5000;

export function createClock(deviceNow: () => number, savedOffset = 0): GateClock {
  let offset = savedOffset;
  let learned = false;
  return {
    now: () => Math.round(deviceNow() + offset),
    offset: () => offset,
    learn(serverNow, sentAt) {
      const receivedAt = deviceNow();
      const took = receivedAt - sentAt;
      // If the device's clock was set in the meantime, this is negative or long.
      if ((took < 0 || took > SLOW_ANSWER_MS) && learned) return;
      offset = Math.round(serverNow - (sentAt + receivedAt) / 2);
      learned = true;
    },
  };
}
