// What a scan sounds and feels like: a rising pair for go, a low buzz for stop, one tone for the rest. Tones are made by the
// browser; there is nothing to load.
import type { Tone } from "./rules/words.ts";

/** Hertz, seconds from the start, seconds long. */
const tones: Readonly<Record<Tone, readonly (readonly [hertz: number, at: number, long: number])[]>> = {
  go: [
    [880, 0, 0.09],
    [1320, 0.1, 0.16],
  ],
  stop: [
    [180, 0, 0.22],
    [150, 0.26, 0.34],
  ],
  wait: [
    [520, 0, 0.14],
    [520, 0.2, 0.14],
  ],
  out: [
    [1320, 0, 0.09],
    [880, 0.1, 0.16],
  ],
  plain: [[660, 0, 0.12]],
};

const pulses: Readonly<Record<Tone, number | number[]>> = {
  go: 60,
  stop: [220, 80, 220],
  wait: [90, 60, 90],
  out: 60,
  plain: 30,
};

let audio: AudioContext | undefined;

/** Browsers let a page sound only after a touch: call it from one. */
export function wakeSound(): void {
  try {
    audio ??= new AudioContext();
    if (audio.state === "suspended") void audio.resume();
  } catch {
    // no sound on this device
  }
}

export function signal(tone: Tone, isMuted: boolean): void {
  navigator.vibrate?.(pulses[tone]);
  if (isMuted || audio?.state !== "running") return;
  for (const [hertz, at, long] of tones[tone]) {
    const oscillator = audio.createOscillator();
    const volume = audio.createGain();
    const from = audio.currentTime + at;
    oscillator.type = tone === "stop" ? "sawtooth" : "triangle";
    oscillator.frequency.value = hertz;
    volume.gain.setValueAtTime(0.5, from);
    volume.gain.exponentialRampToValueAtTime(0.01, from + long);
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(from);
    oscillator.stop(from + long);
  }
}
