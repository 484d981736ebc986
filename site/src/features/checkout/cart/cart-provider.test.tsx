import { renderToString } from "react-dom/server";
import { expect, it } from "vitest";
import { CartProvider, useCart } from "./cart-provider.tsx";

function Total() {
  return <output>{useCart().total}</output>;
}

it("throws when the cart is used outside its provider", () => {
  expect(() => renderToString(<Total />)).toThrow("useCart must be used within a CartProvider");
});

it("is empty without a browser", () => {
  expect(
    renderToString(
      <CartProvider>
        <Total />
      </CartProvider>,
    ),
  ).toBe("<output>0</output>");
});
