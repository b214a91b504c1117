// A change of a graph as data, and the account of it. Contract 7.9.
import { z } from 'zod'
import { GraphTests } from './checks.ts'

const Id = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/, 'an id has letters, digits, _ and -')
const Label = z.string().min(1).max(256)
const Values = z.record(z.string(), z.unknown())
const Ends = { from: z.string(), fromPin: Label, to: z.string(), toPin: Label }
const Coordinate = z.number().min(-1e9).max(1e9)
const Type = z.enum(['bool', 'int', 'float', 'double', 'string'])

export const PatchStep = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('add node'),
    node: Id.describe('an id of your own, for later steps'),
    class: z.string().min(1).max(256),
    title: z.string().max(4096).optional(),
    settings: Values.optional(),
  }),
  z.strictObject({ do: z.literal('remove node'), node: z.string() }),
  z.strictObject({
    do: z.literal('set'),
    node: z.string(),
    settings: Values.describe('name to value; null: the default of the class'),
  }),
  z.strictObject({ do: z.literal('title'), node: z.string(), title: z.string().max(4096).nullable() }),
  z.strictObject({ do: z.literal('connect'), ...Ends }),
  z.strictObject({ do: z.literal('disconnect'), ...Ends }),
  z.strictObject({
    do: z.literal('parameter'),
    parameter: z.string().min(1).max(128),
    type: Type,
    value: z.union([z.boolean(), z.number(), z.string()]),
  }),
  z.strictObject({ do: z.literal('remove parameter'), parameter: z.string() }),
  z.strictObject({
    do: z.literal('tests'),
    tests: GraphTests.nullable().describe('null: the graph has no assertions'),
  }),
  z.strictObject({ do: z.literal('place'), node: z.string(), x: Coordinate, y: Coordinate }),
])
export type PatchStep = z.infer<typeof PatchStep>

export const PatchReport = z.object({
  graph: z.string(),
  /** False: a dry run. */
  applied: z.boolean(),
  names: z.record(z.string(), z.string()).describe('Ids of new nodes to the names that the editor gave them'),
  changes: z.array(z.looseObject({ kind: z.string() })).describe('What differs from before'),
  findings: z
    .array(
      z.object({
        rule: z.string(),
        severity: z.enum(['error', 'warning', 'info']),
        node: z.string().nullable(),
        message: z.string(),
        remedy: z.string(),
      }),
    )
    .describe('What the linter finds then, and did not find before'),
  different: z
    .array(z.looseObject({ kind: z.string() }))
    .describe('What the editor stored otherwise, read back; empty in a dry run'),
})
export type PatchReport = z.infer<typeof PatchReport>
