// A graph on its way from one editor to another, and the account of what arrived. Contract 7.9.
import { z } from 'zod'
import type { StoredLayout } from './layout.ts'

/** A graph as any editor can build it: properties by the names of the catalogue, edges from and to `Input` and `Output`. */
export type GraphDocument = {
  readonly path: string
  readonly nodes: readonly {
    readonly name: string
    readonly class: string
    /** Null: the title of the class. */
    readonly title: string | null
    readonly properties: Readonly<Record<string, unknown>>
  }[]
  /** Pins of `Input` and of `Output` beside their own. */
  readonly pins: Readonly<Record<'Input' | 'Output', readonly unknown[]>>
  /** From node, from pin, to node, to pin. */
  readonly edges: readonly (readonly [string, string, string, string])[]
  readonly parameters: readonly {
    readonly name: string
    readonly type: 'bool' | 'int' | 'float' | 'double' | 'string'
    readonly value: boolean | number | string
  }[]
  readonly layout: StoredLayout
}

export const TRANSFER_OUTCOMES = ['created', 'replaced', 'kept'] as const
export const TransferReport = z.object({
  /** The graph in the target editor. */
  graph: z.string(),
  graphs: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      outcome: z.enum(TRANSFER_OUTCOMES).describe('kept: a subgraph that the target had already'),
      nodes: z.number().int(),
      edges: z.number().int(),
      parameters: z.number().int(),
      comments: z.number().int(),
    }),
  ),
  lost: z
    .array(z.object({ graph: z.string(), item: z.string(), reason: z.string() }))
    .describe('What the target does not have or refused'),
})
export type TransferReport = z.infer<typeof TransferReport>
export type Lost = TransferReport['lost'][number]
