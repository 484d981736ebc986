// The drawing of each area of the map, in the map's own 1200 by 800 units. The map sets the text, not this
// file.
import type { ReactNode } from "react";
import { rays } from "./geometry.ts";
import { Halftone } from "./halftone.tsx";
import type { MapPlaceId } from "./map-places.ts";

export const mapAreaArt: Record<MapPlaceId, ReactNode> = {
  "main-stage": (
    <g>
      <path d="M70 150 270 90l200 60v60H70Z" className="fill-ink" />
      <path d="M96 160 270 108l174 52v36H96Z" className="fill-candy" />
      <path d="M110 196h320v74H110Z" className="fill-slab" />
      <path
        d="M150 196 120 270h70ZM270 196l-50 74h100ZM390 196l-40 74h70Z"
        className="fill-brisket"
        opacity=".85"
      />
      <path d="M76 176h46v108H76ZM418 176h46v108h-46Z" className="fill-ink" />
      <g className="fill-brisket">
        <circle cx="99" cy="200" r="13" />
        <circle cx="99" cy="234" r="13" />
        <circle cx="99" cy="266" r="11" />
        <circle cx="441" cy="200" r="13" />
        <circle cx="441" cy="234" r="13" />
        <circle cx="441" cy="266" r="11" />
      </g>
      <path d="M92 270h356l14 22H78Z" className="fill-ink" />
      <path
        d="M262 226h16v36h-16zM256 208a14 14 0 1 1 28 0a14 14 0 1 1-28 0M284 236l26-18 4 7-28 20Z"
        className="fill-ink"
      />
      <Halftone x={96} y={306} width={354} height={74} pitch={17} from={14} to={9} className="text-ink" />
    </g>
  ),
  "food-court": (
    <g>
      <path d="M800 130h140v74H800Z" className="fill-candy" />
      <path d="M940 150h30l16 30v24h-46Z" className="fill-candy" />
      <path d="M812 142h80v34h-80Z" className="fill-paper" />
      <path d="M806 136h92l8 20h-108Z" className="fill-brisket" />
      <path d="M946 158h20l10 20h-30Z" className="fill-paper" />
      <circle cx="834" cy="208" r="15" className="fill-ink" />
      <circle cx="950" cy="208" r="15" className="fill-ink" />
      <path d="M1010 158h96q18 0 18 24t-18 24h-96Z" className="fill-ink" />
      <path d="M1086 116h20v46h-20ZM1024 206v26m64-26v26" strokeWidth="8" className="fill-ink stroke-ink" />
      <path d="M1096 106q-30-6-18-30 24-8 34-30 22 16 4 36 2 22-20 24Z" className="fill-paper" />
      <path d="M1018 172h50v14h-50Z" className="fill-candy" />
      {[
        [850, 290, "fill-candy"],
        [960, 270, "fill-slab"],
        [1070, 296, "fill-bayou"],
      ].map(([x, y, ink]) => (
        <g key={x} transform={`translate(${x} ${y})`}>
          <path d="M-38 34h76v9h-76ZM-4-6h8v56h-8Z" className="fill-ink" />
          <path d="M-52 4Q0-76 52 4Z" className={String(ink)} />
          <path d="M-20 4Q-14-32 0-40 14-32 20 4Z" className="fill-paper" />
        </g>
      ))}
    </g>
  ),
  "purple-room": (
    <g>
      <path d="M500 530V440q0-110 125-110t125 110v90Z" className="fill-ink" />
      <path d="M514 520V444q0-100 111-100t111 100v76Z" className="fill-slab" />
      <path d="M576 520q-20-110 49-176 69 66 49 176Z" className="overprint fill-candy" />
      <path d="M586 520v-52q0-34 39-34t39 34v52Z" className="fill-ink" />
      <circle cx="625" cy="400" r="24" className="fill-ink" />
      <circle cx="625" cy="400" r="15" fill="none" strokeWidth="2.5" className="stroke-paper" />
      <circle cx="625" cy="400" r="7" className="fill-brisket" />
      <path d="M625 344v-34l34 10-34 12" className="fill-brisket" strokeWidth="5" stroke="var(--color-ink)" />
      <path d="M500 528h250" strokeWidth="8" className="stroke-ink" />
      <path
        d="M534 470q4-60 34-92M716 470q-4-60-34-92"
        fill="none"
        strokeWidth="6"
        strokeDasharray="3 12"
        strokeLinecap="round"
        className="stroke-brisket"
      />
    </g>
  ),
  "vendor-area": (
    <g>
      {[
        [806, 462, "fill-bayou"],
        [918, 462, "fill-candy"],
        [1030, 462, "fill-slab"],
        [806, 568, "fill-slab"],
        [918, 568, "fill-brisket"],
        [1030, 568, "fill-bayou"],
      ].map(([x, y, ink]) => (
        <g key={`${x} ${y}`} transform={`translate(${x} ${y})`}>
          <path d="M4 30h92v52H4Z" className="fill-ink" />
          <path d="M10 44h80v32H10Z" className="fill-paper" />
          <path
            d="M8 0h84l12 34q-9 16-18 0-9 16-18 0-9 16-18 0-9 16-18 0-9 16-18 0-9 16-18 0Z"
            className="fill-paper"
          />
          <path
            d={`M8 0h18l-8 34q-9 16-22 0ZM42 0h16l10 34q-9 16-18 0-9 16-18 0ZM76 0h16l12 34q-9 16-18 0Z`}
            className={String(ink)}
          />
          <path d="M18 58h18v18H18ZM44 52h14v24H44ZM66 62h18v14H66Z" className={String(ink)} />
        </g>
      ))}
    </g>
  ),
  "main-entrance": (
    <g>
      <path d="M452 770V650h40v120ZM638 770V650h40v120Z" className="fill-candy" />
      <path d="M472 770V650h20v120ZM658 770V650h20v120Z" className="overprint fill-candy" />
      <path d="M436 640h258v54H436Z" className="fill-ink" />
      <path d="M446 640q120-90 238 0Z" className="fill-brisket" />
      <path
        d={rays(565, 640, 66, 9)}
        className="fill-candy"
        clipPath="polygon(0 0, 100% 0, 100% 50%, 0 50%)"
      />
      <path d="M472 650v-40m186 40v-40" strokeWidth="6" className="stroke-ink" />
      <path d="M472 606l34 10-34 12ZM658 606l34 10-34 12Z" className="fill-bayou" />
      <path
        d="M510 770v-40h110v40"
        fill="none"
        strokeWidth="6"
        strokeDasharray="18 10"
        className="stroke-ink"
      />
    </g>
  ),
};
