// Argument schemas compiled once per tool: defaults applied, scalar text read as numbers where REST needs it, problems in words.
import type { ErrorObject } from 'ajv'
import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import type { Tool } from '../../registry/backend.ts'
import { linearPattern } from '../2-guardrails/linear-pattern.ts'

export type Checked =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: readonly string[] }
export type Validator = (args: Readonly<Record<string, unknown>>) => Checked

const MOST_PROBLEMS = 5

/** A pattern of an upstream runs in linear time or not at all: what it would refuse, the upstream still can. */
function patternTest(pattern: string): { test(text: string): boolean } {
  try {
    return linearPattern(pattern, 'u')
  } catch {
    return { test: () => true }
  }
}

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  useDefaults: true,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
  // Its standalone code is never generated, which is what `code` would be for.
  code: { regExp: Object.assign(patternTest, { code: 'patternTest' }) },
}

const plain = new Ajv2020(OPTIONS)
const coercing = new Ajv2020({ ...OPTIONS, coerceTypes: true })
for (const ajv of [plain, coercing]) ajvFormats.default(ajv, { mode: 'fast' })

function describe(error: ErrorObject): string {
  const at = error.instancePath === '' ? '' : error.instancePath.slice(1).replaceAll('/', '.')
  const params: Record<string, unknown> = error.params
  if (error.keyword === 'required') return `${at === '' ? '' : `${at}.`}${String(params.missingProperty)} is required`
  if (error.keyword === 'additionalProperties')
    return `${at === '' ? '' : `${at}.`}${String(params.additionalProperty)} is not an argument of this tool`
  if (error.keyword === 'enum' && Array.isArray(params.allowedValues))
    return `${at} must be one of ${params.allowedValues
      .map((value) => JSON.stringify(value))
      .join(', ')
      .slice(0, 300)}`
  return `${at === '' ? 'the arguments' : at} ${error.message ?? 'are invalid'}`
}

function declared(schema: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const { properties } = schema
  return new Set(typeof properties === 'object' && properties !== null ? Object.keys(properties) : [])
}

/** REST and GraphQL requests have a place for declared arguments only; an MCP upstream decides about others itself. */
function withoutUndeclared(schema: Readonly<Record<string, unknown>>): (args: Record<string, unknown>) => void {
  const open = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  const strict = schema.additionalProperties === false
  const known = declared(schema)
  if (open || strict) return () => undefined
  return (args) => {
    for (const name of Object.keys(args)) if (!known.has(name)) delete args[name]
  }
}

export function createValidator(tool: Tool, kind: string): Validator {
  const schema = tool.definition.inputSchema
  const built = kind === 'rest' || kind === 'graphql'
  const drop = built ? withoutUndeclared(schema) : () => undefined
  let validate: ReturnType<Ajv2020['compile']>
  try {
    validate = (built ? coercing : plain).compile(schema)
  } catch {
    // A schema that cannot be compiled (a broken $ref) constrains nothing here; the upstream still checks.
    return (args) => ({ ok: true, args })
  }
  return (given) => {
    // Coercion and defaults write into what they check.
    const args: Record<string, unknown> = structuredClone(given)
    drop(args)
    if (validate(args)) return { ok: true, args }
    const problems = (validate.errors ?? []).slice(0, MOST_PROBLEMS).map(describe)
    return { ok: false, problems: [...new Set(problems)] }
  }
}
