import type { CSSProperties } from "react";
import type { GateBoard } from "contract/gate";
import { DataTable } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";

const number = (value: number) => value.toLocaleString("en-US");

/** How many of each type are in, and how many are still to arrive. */
export function ToComePanel({ board: { types } }: { board: GateBoard }) {
  return (
    <Panel title="Still to arrive, by type">
      <DataTable
        caption="Let in, inside and still to arrive, by type"
        rows={types}
        rowKey={({ id }) => id}
        empty="No ticket types yet."
        columns={[
          {
            key: "type",
            header: "Type",
            cell: ({ name, valid, admitted }) => (
              <div className="sm:min-w-32">
                <span className="break-words">{name}</span>
                <div aria-hidden="true" className="mt-1 h-1.5 bg-ink/8">
                  <div
                    className="h-full w-(--share) bg-slab"
                    style={
                      {
                        "--share": `${valid > 0 ? Math.min(100, (100 * admitted) / valid) : 0}%`,
                      } as CSSProperties
                    }
                  />
                </div>
              </div>
            ),
          },
          { key: "in", header: "Let in", numeric: true, cell: ({ admitted }) => number(admitted) },
          { key: "inside", header: "Inside", numeric: true, cell: ({ inside }) => number(inside) },
          {
            key: "come",
            header: "To arrive",
            numeric: true,
            cell: ({ to_come }) => <strong>{number(to_come)}</strong>,
          },
        ]}
      />
    </Panel>
  );
}
