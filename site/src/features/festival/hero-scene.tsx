import { Skyline } from "#ui/art/skyline.tsx";
import { Slab } from "#ui/art/slab.tsx";

/** Sun, towers, road and slab, each anchored to its edge of the poster. */
export function HeroScene() {
  return (
    <div aria-hidden="true" className="absolute inset-0 -z-10 animate-fade-in">
      <div className="absolute right-[-18vmin] bottom-[4vmin] size-[88vmin] sm:max-lg:right-[-36vmin] rounded-full bg-candy lg:right-[4vw] lg:bottom-[2vh] lg:size-[78vmin]">
        <div className="halftone halftone-fade absolute inset-0 rounded-full text-brisket" />
      </div>
      {/* Beside the words it ends below the title, and starts with its low houses: what does not fit runs off the right. */}
      <div className="absolute inset-x-0 bottom-[min(11%,24vw)] h-[min(34%,73vw)] lg:bottom-[11%] lg:left-[22%] lg:flex lg:h-[min(47%,calc((89%-8.5rem-1.3*var(--text-poster))/0.92))] lg:justify-end-safe">
        <Skyline className="size-full lg:aspect-[1400/520] lg:w-auto lg:shrink-0" />
      </div>
      <div className="absolute inset-x-0 bottom-0 h-[min(11.5%,25vw)] bg-ink lg:h-[11.5%]" />
      <div className="road-line absolute inset-x-0 bottom-[3%] h-1.5" />
      <Slab className="absolute right-[-3%] bottom-[1.5%] w-[104%] max-w-none sm:right-[2%] sm:w-[62%] lg:w-[min(50%,46rem)]" />
    </div>
  );
}
