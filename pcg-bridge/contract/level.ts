// The shapes of a level on their way from a real editor to the embedded one. Contract 7.9.
import { z } from 'zod'

type Triple = readonly [number, number, number]
type Named = { readonly name: string; readonly label: string; readonly class: string; readonly tags: readonly string[] }

/** Everything in world space, centimetres. */
export type LevelShapes = {
  readonly level: string
  readonly landscapes: readonly (Named & {
    readonly min: Triple
    readonly max: Triple
    readonly columns: number
    readonly rows: number
    /** Base64 of 32-bit numbers, row by row from the lowest x and y; not a number in a hole. */
    readonly heights: string
  })[]
  readonly splines: readonly (Named & {
    readonly closed: boolean
    readonly points: readonly Triple[]
    readonly arrive: readonly Triple[]
    readonly leave: readonly Triple[]
  })[]
  readonly volumes: readonly (Named & {
    readonly center: Triple
    /** Half size before rotation. */
    readonly half: Triple
    readonly rotation: Triple
  })[]
  readonly skipped: readonly { readonly item: string; readonly reason: string }[]
}

export const LEVEL_RESOLUTION = { least: 2, usual: 129, most: 257 } as const
export const LevelReport = z.object({
  /** The level that was read. */
  level: z.string(),
  landscapes: z.number().int(),
  splines: z.number().int(),
  volumes: z.number().int(),
  heights: z.number().int().describe('samples of all landscapes'),
  removed: z.number().int().describe('shapes of the embedded level that gave way'),
  skipped: z.array(z.object({ item: z.string(), reason: z.string() })),
})
export type LevelReport = z.infer<typeof LevelReport>
