import { CircleParking, TriangleAlert } from "lucide-react";
import { formatPrice } from "#lib/format.ts";
import { Badge } from "#ui/badge.tsx";
import { QuantityStepper } from "#ui/quantity-stepper.tsx";
import { isChoosable, isSoldOut, PARKING_LIMIT, type ParkingPass } from "./model.ts";

interface ParkingOptionProps {
  pass: ParkingPass;
  quantity: number;
  /** The cart holds a VIP ticket, which brings its own parking. */
  includedWithVip: boolean;
  onQuantity: (quantity: number) => void;
}

export function ParkingOption({ pass, quantity, includedWithVip, onQuantity }: ParkingOptionProps) {
  return (
    <article aria-label={pass.type_name} className="border-2 border-ink bg-sheet p-5 sm:p-6">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
        <CircleParking aria-hidden="true" className="size-12 shrink-0 text-bayou" strokeWidth={1.75} />
        <div className="min-w-48 flex-1">
          <h3 className="display text-heading">{pass.type_name}</h3>
          <p className="mt-1 text-ink-soft">{pass.description} One per order.</p>
        </div>
        <div className="flex items-center justify-between gap-x-6 gap-y-4 max-sm:w-full">
          <p className="display text-4xl tabular-nums">{formatPrice(pass.price)}</p>
          {includedWithVip ? (
            <Badge tone="highlight">Included with VIP</Badge>
          ) : isSoldOut(pass) ? (
            <Badge tone="danger">Sold Out</Badge>
          ) : (
            <QuantityStepper
              label={pass.type_name}
              value={quantity}
              max={Math.min(PARKING_LIMIT, pass.current_inventory)}
              onChange={(next) =>
                isChoosable(next, Math.min(PARKING_LIMIT, pass.current_inventory)) && onQuantity(next)
              }
            />
          )}
        </div>
      </div>
      {includedWithVip && (
        <p role="status" className="mt-5 flex items-start gap-3 bg-brisket p-3.5 font-semibold">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0" strokeWidth={2.5} />
          VIP tickets include parking. One general parking pass comes with your order at no extra cost.
        </p>
      )}
    </article>
  );
}
