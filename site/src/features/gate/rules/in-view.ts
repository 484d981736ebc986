// Reads a code that stays in front of the camera only once.

/** A code out of view for this long may be read again. */
const OUT_OF_VIEW_MS = 2000;

export interface InView {
  /** Whether to scan this frame's code. While `isBusy`, a new code is skipped: the next frame shows it again. */
  see: (text: string, now: number, isBusy: boolean) => boolean;
}

export function createInView(): InView {
  let last = { text: "", at: 0 };
  return {
    see(text, now, isBusy) {
      const isNew = text !== last.text || now - last.at > OUT_OF_VIEW_MS;
      if (isNew && isBusy) return false;
      last = { text, at: now };
      return isNew;
    },
  };
}
