// Seeds and random numbers: 32-bit integers only, so that every machine draws the same.

/** Mixes a number into a seed. */
export function seed1(a: number): number {
  return (Math.imul(a, 196314165) + 907633515) | 0
}
export function seed2(a: number, b: number): number {
  return seed1(a) ^ secondOf(b)
}
export function seed3(a: number, b: number, c: number): number {
  return seed2(a, b) ^ thirdOf(c)
}

/** What the second and the third number add to a seed, for loops in which they stay: `seed1(a) ^ secondOf(b) ^ thirdOf(c)`. */
export const secondOf = (b: number): number => Math.imul(b, 73148459) + 453816763
export const thirdOf = (c: number): number => Math.imul(c, 34731343) + 453816743

/** Cut to an integer as the engine does; what is beyond 32 bits wraps. */
export function seedFromPosition(x: number, y: number, z: number): number {
  return seed3(Math.trunc(x) | 0, Math.trunc(y) | 0, Math.trunc(z) | 0)
}

/** The next state of a stream; its fraction is `fractionOf`. */
export function next(state: number): number {
  return (Math.imul(state, 196314165) + 907633515) | 0
}

/** 0 ≤ fraction < 1, exact in single precision: the 23 high bits. */
export function fractionOf(state: number): number {
  return (state >>> 9) / 8388608
}

export type Stream = {
  fraction(): number
  range(min: number, max: number): number
  integer(below: number): number
  state(): number
}

/** For code that draws a few numbers per point; tight loops call `next` and `fractionOf` themselves. */
export function stream(seed: number): Stream {
  let state = seed | 0
  const fraction = () => {
    state = next(state)
    return fractionOf(state)
  }
  return {
    fraction,
    range: (min, max) => min + (max - min) * fraction(),
    integer: (below) => Math.min(below - 1, Math.floor(fraction() * below)),
    state: () => state,
  }
}

/** FNV-1a over UTF-16 units. */
export function seedFromText(text: string): number {
  let hash = -2128831035
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
  return hash
}
