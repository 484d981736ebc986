// How a setting is written in the environment, as GoTrue reads it (Go's envconfig): booleans, durations, lists, rates.
import { z } from "zod";

const TRUE = new Set(["1", "t", "true"]);
const FALSE = new Set(["0", "f", "false"]);

export const flag = (fallback: boolean) =>
  z
    .string()
    .refine((text) => TRUE.has(text.toLowerCase()) || FALSE.has(text.toLowerCase()), "must be true or false")
    .transform((text) => TRUE.has(text.toLowerCase()))
    .default(fallback);

export const count = (fallback: number, least = 1, most = 1_000_000_000) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number of at least ${least}`)
    .transform(Number)
    .refine((number) => number >= least, `must be a whole number of at least ${least}`)
    .refine((number) => number <= most, `must be at most ${most}`)
    .default(fallback);

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;

/** Seconds of a duration in Go's notation, e.g. `1h30m`. Undefined when it is invalid. */
export function secondsOf(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g);
  return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0);
}

const seconds = z
  .string()
  .refine((text) => text === "0" || secondsOf(text) !== undefined, "must be a duration, e.g. 24h or 1h30m")
  .transform((text) => secondsOf(text) ?? 0);

/** In seconds. */
export const duration = (fallback: number) => seconds.default(fallback);

/** In seconds; undefined, meaning never, when it is unset or 0. */
export const optionalDuration = seconds.transform((number) => number || undefined).optional();

export const text = (fallback = "") => z.string().default(fallback);

export const list = z
  .string()
  .transform((value) =>
    value
      .split(",")
      .map((entry) => entry.trim())
      .filter(Boolean),
  )
  .default([]);

export interface Rate {
  readonly events: number;
  readonly seconds: number;
}

/** `30`, in the window that GoTrue gives the limit, or `30/10m`. Undefined: the limit's own default. */
export const rate = (windowSeconds: number) =>
  z
    .string()
    .refine((value) => {
      const [events = "", window, ...more] = value.split("/");
      const counts = /^\d{1,9}(?:\.\d+)?$/.test(events) && Number(events) > 0;
      return counts && more.length === 0 && (window === undefined || (secondsOf(window) ?? 0) > 0);
    }, "must be a number of requests, e.g. 30, or 30/10m")
    .transform((value): Rate => {
      const [events, window] = value.split("/");
      return {
        events: Number(events),
        seconds: window === undefined ? windowSeconds : secondsOf(window)!,
      };
    })
    .optional();

export const choice = <Word extends string>(fallback: Word, ...others: readonly Word[]) =>
  z.enum([fallback, ...others]).default(fallback);
