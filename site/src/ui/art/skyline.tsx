// Downtown Houston from the west, in two inks: the well-known towers, and the low city and freeway in front of
// them.
import type { SVGProps } from "react";

const towers = [
  "M150 520V300l62-34v254Z", // One Shell
  "M222 520V252h66v268Z",
  "M300 520V250l74-66v336ZM382 520V184l70 66v270Z", // Pennzoil Place's two wedges
  "M464 520V196h14v-22h14v-22h14v-22h30v22h14v22h14v22h14v324Z", // Heritage Plaza's stepped temple
  "M590 520V150q0-54 52-58h42v428Z", // Wells Fargo's rounded glass
  "M696 520V58l22-16h70v478Z", // JPMorgan Chase, five-sided
  "M802 520V290h8l22-46 22 46h6V214h8l24-50 24 50h6v-68h8l28-58 28 58h8v374Z", // the Dutch gables
  "M1010 520V228q40-40 80 0v292Z", // 1400 Smith
  "M1102 520V276h72v244ZM1186 520V330l60-30v220Z",
  "M1256 520V366h66v154ZM60 520V360h80v160Z",
].join("");

/** Lit columns, each one dashed line. */
const windows =
  "M236 268v236M254 268v236M272 268v236M318 262v240M336 248v250M354 232v268M400 226v270M418 242v254M436 258v240" +
  "M480 212v290M500 180v320M536 180v320M556 212v290M612 140v360M634 116v380M656 112v384M718 70v430M740 60v440" +
  "M762 60v440M832 300v200M892 226v270M956 160v340M976 160v340M1034 236v260M1056 232v264M1120 292v210M1140 292v210" +
  "M1158 292v210";

export function Skyline(props: SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 1400 520" preserveAspectRatio="xMidYMax slice" aria-hidden="true" {...props}>
      <path d={towers} className="fill-slab" />
      {/* The second ink is slightly off register, as in a real screen print. */}
      <path d={towers} transform="translate(9 6)" className="overprint fill-candy" opacity="0.85" />
      <g fill="none" strokeWidth="6" strokeDasharray="7 13" className="stroke-brisket">
        <path d={windows} />
      </g>
      <path
        className="fill-ink"
        d="M0 520v-6h60v-14h50v-26h40v-34h34v-24h38v-36h58v32h62v-28h40v50h70v-80h60v66h48v-40h70v54h60v-84h44v56h74v-36h52v60h66v-90h56v72h60v-34h48v40h70v-58h54v46h60v-30h80v60h104v130Z"
      />
      <path
        fill="none"
        strokeWidth="4"
        strokeDasharray="6 12"
        className="stroke-brisket"
        d="M86 410h30M176 392h34M438 372h34M616 396h36M690 400h26M890 376h36M1066 414h32M1206 410h40M90 430h30M176 412h34M438 392h34M890 396h36"
      />
    </svg>
  );
}
