// The feature of a tool that is called again and again by the gateway itself, and whose definition is looked at each time. Contract 8.12.
import { z } from 'zod'
import { Id } from '../page.ts'
import { ExampleArgs } from './example-args.ts'
import { Path } from './shaping-features.ts'

const given = z.strictObject({
  enabled: z.boolean().default(true),
  exampleId: Id.optional(),
  args: ExampleArgs.optional(),
  intervalMinutes: z.number().int().min(1).max(1440).default(15),
  maxLatencyMs: z.number().int().min(1).max(600_000).optional(),
  /** Into the JSON that is answered. */
  expectPath: Path.optional(),
})

export const Monitor = given
  .refine(({ exampleId, args }) => exampleId === undefined || args === undefined, {
    path: ['args'],
    message: 'cannot be given beside exampleId: a monitor has one set of arguments',
  })
  .transform(({ args, ...rest }) => (rest.exampleId === undefined ? { ...rest, args: args ?? {} } : rest))
export type Monitor = z.output<typeof Monitor>

/** As a document has it: an example has no name, so its arguments stand in its place. */
export const ConfigMonitor = given.omit({ exampleId: true }).extend({ args: ExampleArgs.default({}) })
