// A graph on its way from one editor to another, and the account of what arrived. Contract 7.9.
import { z } from 'zod'
import { GraphTests } from './checks.ts'
import { StoredLayout } from './layout.ts'

const NodeName = z.string().min(1).max(256)
const Label = z.string().min(1).max(256)
/** A graph as any editor can build it: properties by the names of the catalogue, edges from and to `Input` and `Output`. */
export const GraphDocument = z.object({
  path: z.string().min(1).max(512),
  nodes: z
    .array(
      z.object({
        name: NodeName,
        class: z.string().min(1).max(256),
        title: z.string().max(4096).nullable().describe('null: the title of the class'),
        properties: z.record(z.string(), z.unknown()).readonly(),
      }),
    )
    .max(5000)
    .readonly(),
  pins: z
    .object({ Input: z.array(z.unknown()).max(64).readonly(), Output: z.array(z.unknown()).max(64).readonly() })
    .describe('Beside the pins that every graph has'),
  edges: z
    .array(z.tuple([NodeName, Label, NodeName, Label]).readonly())
    .max(50_000)
    .readonly()
    .describe('From node, from pin, to node, to pin'),
  parameters: z
    .array(
      z.object({
        name: z.string().min(1).max(128),
        type: z.enum(['bool', 'int', 'float', 'double', 'string']),
        value: z.union([z.boolean(), z.number(), z.string()]),
      }),
    )
    .max(1000)
    .readonly(),
  tests: GraphTests.optional(),
  layout: StoredLayout,
})
export type GraphDocument = z.infer<typeof GraphDocument>

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
