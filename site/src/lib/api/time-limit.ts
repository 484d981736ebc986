// How long a call may take. A request that is never answered would otherwise show no error at all.
import { OUT_OF_TIME } from "./causes.ts";

const LIMIT_MS = 15_000;
/** For work that takes the server long (documents, the provider's books) or sends files. */
export const LONG_MS = 60_000;
const LONG_WORK =
  /\/functions\/v1\/(order-documents|door-codes|fetch-provider-books|wallet-pass)\b|\/storage\/v1\//;

/** Like fetch, but rejects when the answer has not arrived within the limit. */
export const fetchInTime: typeof fetch = (input, init) => {
  const address = input instanceof Request ? input.url : String(input);
  const limitMs = LONG_WORK.test(address) ? LONG_MS : LIMIT_MS;
  const stop = new AbortController();
  const given = init?.signal;
  const follow = () => stop.abort(given?.reason);
  if (given?.aborted) follow();
  given?.addEventListener("abort", follow);
  // Also covers the body, so the timer runs on after the headers have arrived. Stopping a finished request has no effect.
  setTimeout(
    () => stop.abort(new DOMException(`no answer within ${limitMs / 1000} s`, OUT_OF_TIME)),
    limitMs,
  );
  return fetch(input, { ...init, signal: stop.signal });
};
