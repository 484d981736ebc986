import { expect, it } from "vitest";
import { renderSeed } from "./seed.ts";

it("writes each product's values under their own columns, whatever their order and number", () => {
  const products: Record<string, string | number>[] = [
    { name: "General", price: 45 },
    { price: 25, name: "Bob's Lot", is_hidden: "true" },
  ];
  const seed = renderSeed({ sections: {}, products });
  expect(seed.slice(seed.indexOf("insert into public.products"))).toBe(
    `insert into public.products (name, price, is_hidden) values
  ('General', 45, default),
  ('Bob''s Lot', 25, 'true');
`,
  );
});
