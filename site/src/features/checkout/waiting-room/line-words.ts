// How a place in line is put into words and drawn. Rounded up: nobody waits longer than they were told if it can be helped.
import type { WaitingRoomAnswer } from "contract/waiting-room";

/** "In about 3 minutes" */
export function estimateWords(seconds: number): string {
  if (seconds < 60) return "In less than a minute";
  const minutes = Math.ceil(seconds / 60);
  if (minutes > 60) return "In more than an hour";
  return `In about ${minutes} minutes`;
}

/** One sentence for those who hear the page. */
export function lineWords({ ahead, estimatedSeconds }: WaitingRoomAnswer): string {
  const people =
    ahead === 0 ? "You are next" : `${ahead} ${ahead === 1 ? "person is" : "people are"} ahead of you`;
  return `${people}. Your turn: ${estimateWords(estimatedSeconds).toLowerCase()}.`;
}

/** From 0 where one joined the line to nearly 1 at the door. */
export function lineProgress(start: number, ahead: number): number {
  return (start - ahead + 0.4) / (start + 1);
}
