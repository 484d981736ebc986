// Services and pages that are loaded with their first request, as the gateway wants them.
import type { Service, ServiceContext } from "./platform/context.ts";
import type { OnFirstUse } from "./platform/on-first-use.ts";

export const asService = (part: OnFirstUse<Service>) => ({
  fetch: async (request: Request, context: ServiceContext) => (await part.get()).fetch(request, context),
  renderError: async (...error: Parameters<Service["renderError"]>) =>
    (await part.get()).renderError(...error),
});

export const pageOf = (part: OnFirstUse<{ fetch(request: Request): Promise<Response> }>) => ({
  fetch: async (request: Request) => (await part.get()).fetch(request),
});
