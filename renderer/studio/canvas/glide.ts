// Duration of a view transition; zero with reduced motion.
const GLIDE_MS = 200

export function glide(): number {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : GLIDE_MS
}
