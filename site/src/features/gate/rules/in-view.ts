// Which of the codes in front of the camera to scan: ours before any other, and each once while it stays there.
import { isOurs } from "./entry-code.ts";

/** A code out of view for this long may be read again. */
const OUT_OF_VIEW_MS = 2000;
/** Another code is scanned when none of ours has been read for this long: an advert is often sharp before the ticket beside it. */
const ALONE_MS = 1000;
/** A slow device reads few frames in that time. */
const ALONE_FRAMES = 3;
/** A single frame may show only one of two codes. */
const CROWDED_MS = 600;

interface Seen {
  readonly scan?: string;
  /** Several of ours are in view, and nothing tells which one is meant. */
  readonly isCrowded: boolean;
}

export interface InView {
  /** All codes of a frame. While `isBusy`, a new one is skipped: the next frame shows it again. */
  see: (texts: readonly string[], now: number, isBusy: boolean) => Seen;
}

export function createInView(): InView {
  let last = { text: "", at: Number.NEGATIVE_INFINITY };
  let crowdedUntil = Number.NEGATIVE_INFINITY;
  const others = createOthers();

  function pick(texts: readonly string[], now: number, isBusy: boolean): string | undefined {
    const ours = new Set(texts.filter(isOurs));
    const other = others.see(
      texts.filter((text) => !ours.has(text)),
      now,
      ours.size > 0 ? "beside" : isBusy ? "later" : "alone",
    );
    if (ours.size > 1) crowdedUntil = now + CROWDED_MS;
    const wasInView = now - last.at <= OUT_OF_VIEW_MS;
    if (wasInView && ours.has(last.text)) last.at = now;
    const [text] = ours;
    if (text === undefined) return other;
    const isNew = text !== last.text || !wasInView;
    return isNew && !isBusy && now >= crowdedUntil ? text : undefined;
  }

  return {
    see(texts, now, isBusy) {
      const scan = pick(texts, now, isBusy);
      if (scan !== undefined) last = { text: scan, at: now };
      return { ...(scan !== undefined && { scan }), isCrowded: now < crowdedUntil };
    },
  };
}

/** Codes that are not ours. Once one was read beside a ticket, or scanned, it counts for nothing until it leaves the view. */
function createOthers() {
  const ignored = new Map<string, number>();
  let streak = { since: 0, at: 0, frames: 0 };
  const ignore = (texts: readonly string[], now: number) => {
    for (const text of texts) ignored.set(text, now);
  };
  return {
    /** Returns the one to scan. */
    see(texts: readonly string[], now: number, when: "beside" | "later" | "alone"): string | undefined {
      for (const [text, at] of ignored) if (now - at > OUT_OF_VIEW_MS) ignored.delete(text);
      const fresh = texts.filter((text) => !ignored.has(text));
      ignore(when === "beside" ? texts : texts.filter((text) => ignored.has(text)), now);
      if (when !== "alone") streak.frames = 0;
      if (when !== "alone" || fresh.length === 0) return undefined;
      if (now - streak.at > ALONE_MS) streak.frames = 0;
      streak = { since: streak.frames === 0 ? now : streak.since, at: now, frames: streak.frames + 1 };
      if (streak.frames < ALONE_FRAMES || now - streak.since < ALONE_MS) return undefined;
      streak.frames = 0;
      ignore(fresh, now);
      return fresh[0];
    },
  };
}
