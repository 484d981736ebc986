// Texts and progress for a place in line. Rounds up: people should not wait longer than promised.
import type { WaitingRoomAnswer } from "contract/shop/waiting-room";

/** "In about 3 minutes" */
export function estimateWords(seconds: number): string {
  if (seconds < 60) return "In less than a minute";
  const minutes = Math.ceil(seconds / 60);
  if (minutes > 60) return "In more than an hour";
  return `In about ${minutes} minutes`;
}

/** One sentence for screen readers. */
export function lineWords({ ahead, estimatedSeconds }: WaitingRoomAnswer): string {
  const people =
    ahead === 0 ? "You're next" : `${ahead} ${ahead === 1 ? "person is" : "people are"} ahead of you`;
  return `${people}. Your turn: ${estimateWords(estimatedSeconds).toLowerCase()}.`;
}

/** From 0 at the end of the line to nearly 1 at the door. */
export function lineProgress(start: number, ahead: number): number {
  return (start - ahead + 0.4) / (start + 1);
}
