// SAML's XML as plain objects: elements are arrays under their local names, attributes are under `$`, text is under `_`.
import { parseXml2JsFromString } from "@node-saml/node-saml/lib/xml.js";

export interface Element {
  readonly $?: Readonly<Record<string, string>>;
  readonly _?: string;
  readonly [child: string]: unknown;
}

/** Rejects invalid XML, and any document type: SAML needs none, but attacks on XML parsers do. */
export async function parseXml(xml: string): Promise<Element> {
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) throw new Error("a document type is not allowed");
  return await parseXml2JsFromString(xml);
}

export function children(element: Element | undefined, name: string): readonly Element[] {
  const found = element?.[name];
  return (Array.isArray(found) ? found : []).map((one: unknown) =>
    typeof one === "string" ? { _: one } : (one as Element),
  );
}

export const child = (element: Element | undefined, name: string): Element | undefined =>
  children(element, name)[0];

export const attribute = (element: Element | undefined, name: string): string | undefined =>
  element?.$?.[name];

export const textOf = (element: Element | undefined): string => element?._?.trim() ?? "";
