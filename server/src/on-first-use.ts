// Parts that are loaded and made with their first use: a start waits for none of them.
import type { Service, ServiceContext } from "./platform/context.ts";

export interface OnFirstUse<T> {
  get(): Promise<T>;
  /** Undefined when it was never used, so that stopping does not make it. */
  loaded(): Promise<T> | undefined;
}

/** A failed load is retried on the next call. */
export function onFirstUse<T>(make: () => Promise<T>): OnFirstUse<T> {
  let made: Promise<T> | undefined;
  return {
    get: () =>
      (made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      })),
    loaded: () => made,
  };
}

/** A service as the gateway wants it. */
export const asService = (part: OnFirstUse<Service>) => ({
  fetch: async (request: Request, context: ServiceContext) => (await part.get()).fetch(request, context),
  renderError: async (...error: Parameters<Service["renderError"]>) =>
    (await part.get()).renderError(...error),
});

/** Pages beside the services, likewise. */
export const pageOf = (part: OnFirstUse<{ fetch(request: Request): Promise<Response> }>) => ({
  fetch: async (request: Request) => (await part.get()).fetch(request),
});
