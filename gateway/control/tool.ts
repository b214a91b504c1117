// A tool of the control plane as a value: its tier, its gates, its arguments, what they name, and the operation behind it.
import { z } from 'zod'
import { fieldsOf } from '../admin/parse.ts'
import type { Annotations } from '../contract/registration.ts'
import type { Role } from '../contract/role.ts'
import type { Route } from '../contract/route.ts'
import { argumentsWithoutReserved } from '../pipeline/0-admission/reserved.ts'
import type { Listed } from '../surfaces/listed.ts'
import type { SysCall } from './operations.ts'

export type Tier = 'read' | 'operate' | 'admin'
/** The least role of a tier. Contract 6.3. */
export const TIER_ROLE: Readonly<Record<Tier, Role>> = { read: 'viewer', operate: 'operator', admin: 'admin' }

/** `env`: not even an elevated key will do, only the admin key of the environment with its confirmation. */
export type StepUp = 'none' | 'confirm' | 'env'

/** Something the arguments name. Whoever may not reach it hears what they would hear if it did not exist. */
export type Target =
  | { readonly kind: 'client'; readonly client: string }
  | { readonly kind: 'tool'; readonly client: string; readonly tool: string }
  /** A name that is to be taken. */
  | { readonly kind: 'new-client'; readonly client: string }
  /** Members of a bundle: all of them, or nothing is made. */
  | { readonly kind: 'members'; readonly members: readonly { readonly client: string; readonly tool: string }[] }
  | { readonly kind: 'key'; readonly id: number }

type Row<A extends z.ZodObject, R extends z.ZodObject> = {
  readonly name: `sys_${string}`
  readonly title: string
  readonly description: string
  readonly tier: Tier
  readonly stepUp: StepUp
  readonly idempotent: boolean
  readonly destructive?: true
  /** It changes nothing though it is not of the read tier. */
  readonly reads?: true
  readonly openWorld?: true
  /** The admin route that does the same: both spend one budget. */
  readonly sameAs?: Route
  readonly args: A
  readonly reply: R
  readonly targets?: (args: z.output<A>) => readonly Target[]
  readonly run: (args: z.output<A>, call: SysCall) => z.input<R> | Promise<z.input<R>>
}

/** A call whose arguments fit. */
export type Prepared = {
  readonly targets: readonly Target[]
  readonly run: (call: SysCall) => Promise<Readonly<Record<string, unknown>>>
}

export type SysTool = Pick<Row<z.ZodObject, z.ZodObject>, 'name' | 'tier' | 'stepUp' | 'sameAs'> & {
  readonly listed: Listed
  prepare(given: Readonly<Record<string, unknown>>): Prepared | { readonly problems: readonly string[] }
}

const MOST_PROBLEMS = 5
const CONFIRM = {
  type: 'boolean',
  description: 'Set to true once a person agreed to this call.',
}

function annotationsOf(
  row: Pick<Row<z.ZodObject, z.ZodObject>, 'title' | 'tier' | 'reads' | 'destructive' | 'idempotent' | 'openWorld'>,
): Annotations {
  return {
    title: row.title,
    readOnlyHint: row.tier === 'read' || row.reads === true,
    destructiveHint: row.destructive === true,
    idempotentHint: row.idempotent,
    openWorldHint: row.openWorld === true,
  }
}

function schemaOf(args: z.ZodObject, stepUp: StepUp): Readonly<Record<string, unknown>> {
  // Refinements say nothing a schema can hold; the parser still asks for them.
  const {
    $schema: _dialect,
    properties = {},
    ...schema
  } = z.toJSONSchema(args, { io: 'input', unrepresentable: 'any' })
  return { ...schema, properties: stepUp === 'none' ? properties : { ...properties, __confirm: CONFIRM } }
}

/** Keeps the types of a row together and gives them away: the table holds tools of all kinds. */
export function sysTool<A extends z.ZodObject, R extends z.ZodObject>(row: Row<A, R>): SysTool {
  const { name, title, description, tier, stepUp, sameAs, args, reply, targets, run } = row
  return {
    name,
    tier,
    stepUp,
    ...(sameAs && { sameAs }),
    listed: { name, title, description, inputSchema: schemaOf(args, stepUp), annotations: annotationsOf(row) },
    prepare(given) {
      const parsed = args.safeParse(argumentsWithoutReserved(given))
      if (!parsed.success) {
        const problems = fieldsOf(parsed.error).map(
          ({ path, message }) => `${path === '' ? 'arguments' : path} ${message}`,
        )
        return { problems: problems.slice(0, MOST_PROBLEMS) }
      }
      return {
        targets: targets?.(parsed.data) ?? [],
        run: async (call) => reply.parse(await run(parsed.data, call)),
      }
    },
  }
}
