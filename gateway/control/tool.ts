// A control-plane tool as a value: tier, gates, arguments, the records they name, and its operation.
import { z } from 'zod'
import { fieldsOf } from '../admin/parse.ts'
import type { Annotations } from '../contract/registration.ts'
import type { Role } from '../contract/role.ts'
import type { Route } from '../contract/route.ts'
import { argumentsWithoutReserved } from '../pipeline/0-admission/reserved.ts'
import type { Listed } from '../surfaces/listed.ts'
import type { SysCall } from './operations.ts'

export type Tier = 'read' | 'operate' | 'admin'
/** The minimum role of a tier. Contract 6.3. */
export const TIER_ROLE: Readonly<Record<Tier, Role>> = { read: 'viewer', operate: 'operator', admin: 'admin' }

/** `env`: requires the admin key of the environment with confirmation; elevated keys are not enough. */
export type StepUp = 'none' | 'confirm' | 'env'

/** A record named by the arguments. A hidden record gets the same answer as a missing one. */
export type ToolScope =
  | { readonly kind: 'client'; readonly client: string }
  | { readonly kind: 'tool'; readonly client: string; readonly tool: string }
  /** A new name. */
  | { readonly kind: 'new-client'; readonly client: string }
  /** Members of a bundle: all must be visible. */
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
  /** Read-only although not of the read tier. */
  readonly reads?: true
  readonly openWorld?: true
  /** The admin route with the same effect, which shares the rate limit. */
  readonly sameAs?: Route
  readonly args: A
  readonly reply: R
  readonly targets?: (args: z.output<A>) => readonly ToolScope[]
  readonly run: (args: z.output<A>, call: SysCall) => z.input<R> | Promise<z.input<R>>
}

/** A call with valid arguments. */
export type Prepared = {
  readonly targets: readonly ToolScope[]
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
  // Refinements cannot be expressed in JSON Schema; the parser still checks them.
  const {
    $schema: _dialect,
    properties = {},
    ...schema
  } = z.toJSONSchema(args, { io: 'input', unrepresentable: 'any' })
  return { ...schema, properties: stepUp === 'none' ? properties : { ...properties, __confirm: CONFIRM } }
}

/** Checks the types of a row together, then erases them for the table. */
export function sysTool<A extends z.ZodObject, R extends z.ZodObject>(row: Row<A, R>): SysTool {
  const { name, title, description, tier, stepUp, sameAs, args, reply, targets, run } = row
  let listed: Listed | undefined
  return {
    name,
    tier,
    stepUp,
    ...(sameAs && { sameAs }),
    // Written when it is first listed: a start needs none of these schemas.
    get listed() {
      const annotations = annotationsOf(row)
      return (listed ??= { name, title, description, inputSchema: schemaOf(args, stepUp), annotations })
    },
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
