// The inputs of an owned record from one statement of its fields: what creates it, and what changes it.
import { z } from 'zod'

type Fields = Readonly<Record<string, z.ZodType>>
type Defaults<F extends Fields> = { readonly [K in keyof F]?: z.input<F[K]> }
type Defaulted<F extends Fields, D> = { [K in keyof F]: K extends keyof D ? z.ZodDefault<F[K]> : F[K] }

const REVISION = { revision: z.number().int().optional() }

/** `defaults` are the values of fields that a creation may leave out. A change may leave out any, and never has those that stay (`fixed`). */
export function ownedInputs<F extends Fields, const D extends Defaults<F>, Fixed extends keyof F & string = never>(
  fields: F,
  defaults: D,
  ...fixed: readonly Fixed[]
) {
  const given: ReadonlyMap<string, unknown> = new Map(Object.entries(defaults))
  const input = Object.entries(fields).map(([name, field]) => [
    name,
    given.has(name) ? field.default(given.get(name)) : field,
  ])
  const change = Object.entries(fields).filter(([name]) => !fixed.some((each) => each === name))
  return {
    input: z.strictObject(Object.fromEntries(input) as Defaulted<F, D>), // as the lines above made it
    change: z
      .strictObject(Object.fromEntries(change) as Omit<F, Fixed>) // likewise
      .partial()
      .extend(REVISION),
  }
}
