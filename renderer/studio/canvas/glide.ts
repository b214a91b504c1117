// How long a move of the view takes, so that one sees where it goes; no time with reduced motion.
const GLIDE_MS = 200

export function glide(): number {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : GLIDE_MS
}
