// The users of the device, one after another: nobody gets the names, scans and notices of the one before.
import type { Beats } from "./beat.ts";
import { change, endSession, forget, type GateDevice } from "./gate-device.ts";
import { within } from "./within.ts";

/** No one waits longer to sign out. */
const LEAVING_WITHIN_MS = 2000;

export interface Users {
  /** Who is signed in. Somebody who replaces another user without a sign-out here, as in another tab, starts anew. */
  signedIn: (userId: string) => Promise<void>;
  signedOut: () => Promise<void>;
  /** Signs the device out of the gate, before its user signs out. */
  leave: () => Promise<void>;
  /**
   * Signs somebody in by `signIn`, in place of the present user. If that throws, or returns the same user's id, they go on.
   */
  handOver: (signIn: () => Promise<string>) => Promise<void>;
}

export function createUsers(device: GateDevice, beats: Beats, hasSession: () => boolean): Users {
  function beginAgain() {
    beats.start();
    device.session.openedAt = Number.NEGATIVE_INFINITY;
  }

  async function signedOut() {
    device.userId = undefined;
    beginAgain();
    const nobody = { phase: "opening", removedFor: undefined } as const;
    if (device.snapshot.opened) return forget(device, nobody);
    endSession(device); // an opening may be under way
    change(device, nobody);
  }

  function isOf(userId: string) {
    device.userId = userId;
    void device.store.save({ userId });
  }

  async function leave() {
    // A beat after it would claim the device again.
    await within(LEAVING_WITHIN_MS, Promise.all([beats.ended(), device.session.opening]));
    if (device.snapshot.offlineSince === undefined) await device.calls.leave().catch(() => {});
  }

  return {
    signedOut,
    leave,
    async signedIn(userId) {
      if (device.userId !== undefined && device.userId !== userId) await signedOut();
      isOf(userId);
      void beats.now();
    },
    async handOver(signIn) {
      if (!hasSession()) return void (await signIn());
      await leave();
      let userId: string;
      try {
        userId = await signIn();
      } catch (error) {
        beginAgain();
        void beats.now();
        throw error;
      }
      beginAgain();
      if (device.userId !== userId) await signedOut();
      isOf(userId);
      void beats.now();
    },
  };
}
