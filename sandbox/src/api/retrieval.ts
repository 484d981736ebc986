// GET of one object by its id, and how a call shows an object: with what the request asks to expand.
import { type Family, type Kind, member, type ProviderObject } from "../store/objects.ts";
import { noSuch } from "../wire/provider-error.ts";
import { type Api, type ApiDeps, type ApiRequest, secretRequest } from "./api.ts";
import { expand } from "./expansion.ts";

export const renderer = (request: ApiRequest) => (object: ProviderObject, family: Family) =>
  expand(object, request.expand, family);

export function registerRetrieval(
  api: Api,
  { queries }: Pick<ApiDeps, "queries">,
  paths: Readonly<Record<`${string}/:id`, Kind>>,
): void {
  for (const [path, kind] of Object.entries(paths)) {
    api.get(path, async (c) => {
      const request = secretRequest(c);
      request.parameters.refuseUnknown();
      const id = c.req.param("id")!;
      const family = await queries.family(id);
      const found = member(family, kind, id);
      if (!found) throw noSuch(kind, id);
      return c.json(renderer(request)(found.body, family));
    });
  }
}
