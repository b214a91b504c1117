// The arguments that are Gantry's own on every tool: read here, then taken out, so that nothing after this sees them. Contract 5.7.
import type { Reserved } from '../call.ts'

type Arguments = Readonly<Record<string, unknown>>
type Schema = Readonly<Record<string, unknown>>

const NAMES: readonly string[] = ['__confirm', '__approval_id', '__end_user']
const NONE: Reserved = { confirm: false, approvalId: null, endUser: null }

const anyIn = ({ __confirm, __approval_id, __end_user }: Arguments): boolean =>
  __confirm !== undefined || __approval_id !== undefined || __end_user !== undefined

function ticketOf(given: unknown): number | null {
  const id = typeof given === 'string' && /^[1-9]\d{0,15}$/.test(given) ? Number(given) : given
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null
}

/** The header stands over the argument. */
export function reservedOf(args: Arguments, endUserHeader: string | null): Reserved {
  if (!anyIn(args)) return endUserHeader === null ? NONE : { ...NONE, endUser: endUserHeader }
  const { __confirm, __approval_id, __end_user } = args
  const named = typeof __end_user === 'string' && __end_user.length >= 1 && __end_user.length <= 256
  return {
    confirm: __confirm === true,
    approvalId: ticketOf(__approval_id),
    endUser: endUserHeader ?? (named ? __end_user : null),
  }
}

export function argumentsWithoutReserved(args: Arguments): Arguments {
  return anyIn(args) ? Object.fromEntries(Object.entries(args).filter(([name]) => !NAMES.includes(name))) : args
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** They were taken out before the arguments are checked, so no schema can declare them or ask for them. */
export function schemaWithoutReserved(schema: Schema): Schema {
  const { properties, required } = schema
  const declared = isRecord(properties) && NAMES.some((name) => Object.hasOwn(properties, name))
  const asked = Array.isArray(required) && NAMES.some((name) => required.includes(name))
  if (!declared && !asked) return schema
  return {
    ...schema,
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !NAMES.includes(name))),
    }),
    ...(Array.isArray(required) && { required: required.filter((name) => !NAMES.includes(String(name))) }),
  }
}
