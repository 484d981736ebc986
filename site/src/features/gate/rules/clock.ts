// The server's time on a device whose own clock may be hours off. The offset is learnt from every answer; scans that wait
// are put in order by a counter, never by this.

export interface GateClock {
  /** Milliseconds, as the server counts. */
  now: () => number;
  /** How far the device is behind the server; negative when it is ahead. */
  offset: () => number;
  /** The server said `serverNow` in an answer to what was sent at `sentAt` and arrives now, both by the device's clock. */
  learn: (serverNow: number, sentAt: number) => void;
}

/** An answer that took longer says too little about when the server wrote it. */
const SLOW_ANSWER_MS = 5000;

export function createClock(deviceNow: () => number, savedOffset = 0): GateClock {
  let offset = savedOffset;
  let learnt = false;
  return {
    now: () => Math.round(deviceNow() + offset),
    offset: () => offset,
    learn(serverNow, sentAt) {
      const receivedAt = deviceNow();
      const took = receivedAt - sentAt;
      // A clock that was set meanwhile makes this negative or long.
      if ((took < 0 || took > SLOW_ANSWER_MS) && learnt) return;
      offset = Math.round(serverNow - (sentAt + receivedAt) / 2);
      learnt = true;
    },
  };
}
