// Polls the waiting room until admission: as often as the server says, and at once when the page becomes visible or the
// network returns.
import { useEffect, useEffectEvent, useState } from "react";
import { logError } from "#lib/browser/error-log.ts";
import type { WaitingRoomAnswer } from "contract/shop/waiting-room";
import { forgetVisitorPlace, isLostPlace, visitWaitingRoom } from "./waiting-line.ts";

export interface Line {
  answer: WaitingRoomAnswer;
  /** The last request failed. */
  offline: boolean;
  /** The place was lost, and this is a new one. */
  joinedAgain: boolean;
}

const RETRY_SECONDS = [2, 4, 8, 15];

/** `first` comes from the refused order or the first visit. Calls `onAdmitted` once. */
export function useWaitingRoom(first: WaitingRoomAnswer, signedIn: boolean, onAdmitted: () => void): Line {
  const [line, setLine] = useState<Line>({ answer: first, offline: false, joinedAgain: false });
  const admitted = useEffectEvent(onAdmitted);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    let asking = false;
    let failures = 0;

    async function ask() {
      if (asking || left) return;
      asking = true;
      clearTimeout(timer);
      let seconds: number;
      try {
        const answer = await visitWaitingRoom(signedIn);
        if (left) return;
        failures = 0;
        setLine(({ joinedAgain }) => ({ answer, offline: false, joinedAgain }));
        if (answer.admitted) {
          left = true;
          admitted();
          return;
        }
        seconds = answer.pollAfterSeconds;
      } catch (error) {
        if (left) return;
        if (isLostPlace(error)) {
          forgetVisitorPlace();
          setLine((before) => ({ ...before, joinedAgain: true }));
          seconds = 0;
        } else {
          if (failures === 0) logError("ask at the waiting room", error);
          setLine((before) => ({ ...before, offline: true }));
          seconds = RETRY_SECONDS[Math.min(failures, RETRY_SECONDS.length - 1)]!;
          failures += 1;
        }
      } finally {
        asking = false;
      }
      wait(seconds);
    }

    /** With jitter, so that visitors who were answered together do not all poll together. */
    function wait(seconds: number) {
      timer = setTimeout(() => void ask(), seconds * 1000 * (1 + Math.random() * 0.1));
    }

    wait(first.pollAfterSeconds);
    const stopWatching = onReturn(() => void ask());
    return () => {
      left = true;
      clearTimeout(timer);
      stopWatching();
    };
  }, [first, signedIn]);
  return line;
}

/** Calls back when the network returns or the page becomes visible. Returns a function that stops. */
function onReturn(back: () => void): () => void {
  const whenVisible = () => {
    if (document.visibilityState === "visible") back();
  };
  addEventListener("online", whenVisible);
  document.addEventListener("visibilitychange", whenVisible);
  return () => {
    removeEventListener("online", whenVisible);
    document.removeEventListener("visibilitychange", whenVisible);
  };
}
