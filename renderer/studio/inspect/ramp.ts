// A colour ramp from dark to bright that does not rely on red and green.

/** Viridis, in even steps. */
const STOPS = [
  [68, 1, 84],
  [70, 50, 127],
  [54, 92, 141],
  [39, 127, 142],
  [31, 161, 135],
  [74, 194, 109],
  [159, 218, 58],
  [253, 231, 37],
] as const

export const RAMP = `linear-gradient(to right, ${STOPS.map((stop) => `rgb(${stop.join(' ')})`).join(', ')})`

/** Three bytes for each of `count` values. */
export function coloursOf(
  values: ArrayLike<number> | undefined,
  count: number,
  { min, max }: { readonly min: number; readonly max: number },
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count * 3)
  const varies = values !== undefined && max > min
  const last = STOPS.length - 1
  for (let index = 0; index < count; index += 1) {
    const share = varies ? Math.min(1, Math.max(0, ((values[index] ?? min) - min) / (max - min))) : 0.6
    const at = Math.min(last - 1, Math.floor(share * last))
    const part = share * last - at
    for (let channel = 0; channel < 3; channel += 1) {
      const low = STOPS[at]?.[channel] ?? 0
      const high = STOPS[at + 1]?.[channel] ?? 0
      bytes[index * 3 + channel] = low + (high - low) * part
    }
  }
  return bytes
}
