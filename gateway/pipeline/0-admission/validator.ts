// Argument schemas compiled once per tool: defaults applied, scalar text read as numbers where REST needs it, problems in words.
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { argumentKeysOf } from '../../discovery/argument-keys.ts'
import { readSelection, SELECT } from '../../discovery/graphql-select.ts'
import { multiplies } from '../../discovery/schema-cost.ts'
import type { Tool } from '../../registry/backend.ts'
import { canonical } from '../../registry/tool-diff.ts'
import { type LinearPattern, linearPattern, PatternTooCostly } from '../../text/linear-pattern.ts'
import { corrected } from './coerce.ts'
import { schemaWithoutReserved } from './reserved.ts'

type Arguments = Readonly<Record<string, unknown>>
type Schema = Readonly<Record<string, unknown>>
export type Checked =
  | { readonly ok: true; readonly args: Arguments }
  | { readonly ok: false; readonly problems: readonly string[] }
/** Never writes into what it is given: guardrails, captures and hashes look at the same arguments. */
export type Validator = (args: Arguments) => Checked

const MOST_PROBLEMS = 5

/** A pattern of an upstream runs in linear time or not at all: what it would refuse, the upstream still can. */
function patternTest(pattern: string): { test(text: string): boolean; toString(): string } {
  // The validator distinguishes patterns by their text.
  const toString = (): string => pattern
  try {
    const { test } = linearPattern(pattern, 'u')
    return { test: (text) => passesWithin(test, text), toString }
  } catch {
    return { test: () => true, toString }
  }
}

function passesWithin(test: LinearPattern['test'], text: string): boolean {
  try {
    return test(text)
  } catch (error) {
    if (error instanceof PatternTooCostly) return true
    throw error
  }
}

const OPTIONS: Options = {
  strict: false,
  // What is not finite is no number of JSON.
  strictNumbers: true,
  allErrors: true,
  // `toString` and the like are arguments only when they were sent.
  ownProperties: true,
  validateSchema: false,
  logger: false,
  // Its standalone code is never generated, which is what `code` would be for.
  code: { regExp: Object.assign(patternTest, { code: 'patternTest' }) },
}

/** In one pass: the library compares every element with every other, which a megabyte of arguments turns into hours. */
function withLinearUniqueness(ajv: Ajv): Ajv {
  return ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (unique: boolean, items: readonly unknown[]) =>
      !unique || new Set(items.map(canonical)).size === items.length,
  })
}

/** One pattern of the library takes quadratic time. */
const URL_FORMAT = /^(?:https?|ftp):\/\/[^\s/?#]+\S*$/i

export function withFormats(ajv: Ajv): Ajv {
  ajvFormats.default(ajv, { mode: 'fast' })
  return ajv.addFormat('url', URL_FORMAT)
}

/** Draft 7 and before: arrays of `items`, `dependencies`, `definitions`. */
const isOlder = ({ $schema }: Schema): boolean => typeof $schema === 'string' && /draft-0?[34567]\b/.test($schema)

/** Undefined for a schema that means nothing to a validator, such as one with a `$ref` that leads nowhere; none is ever fetched. */
function compiled(schema: Schema, options: Options): ValidateFunction | undefined {
  for (const Dialect of isOlder(schema) ? [Ajv] : [Ajv2020, Ajv]) {
    // One for each schema: what it keeps of a schema goes when the tool goes, and no two share an `$id`.
    const ajv = withFormats(withLinearUniqueness(new Dialect(options)))
    try {
      return ajv.compile(schema)
    } catch {
      // The other dialect may know what this one does not.
    }
  }
  return undefined
}

function pathOf(instancePath: string): string {
  return instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
}

function describe(error: ErrorObject): string {
  const at = pathOf(error.instancePath)
  const inside = at === '' ? '' : `${at}.`
  const params: Record<string, unknown> = error.params
  if (error.keyword === 'required') return `${inside}${String(params.missingProperty)} is required`
  if (error.keyword === 'additionalProperties')
    return `${inside}${String(params.additionalProperty).slice(0, 128)} is not an argument of this tool`
  const subject = at === '' ? 'the arguments' : at
  if (error.keyword === 'enum' && Array.isArray(params.allowedValues)) {
    const allowed = params.allowedValues.map((value) => JSON.stringify(value)).join(', ')
    return `${subject} must be one of ${allowed.slice(0, 300)}`
  }
  if (error.keyword === 'const') return `${subject} must be ${JSON.stringify(params.allowedValue)?.slice(0, 300)}`
  return `${subject} ${error.message ?? 'is invalid'}`
}

const problemsOf = (errors: readonly ErrorObject[]): readonly string[] =>
  [...new Set(errors.map(describe))].slice(0, MOST_PROBLEMS)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** REST and GraphQL requests have a place for declared arguments only; an MCP upstream decides about others itself. */
function undeclaredDropper(schema: Schema): (args: Arguments) => Arguments {
  const { properties, patternProperties, additionalProperties = false } = schema
  if (additionalProperties !== false || patternProperties !== undefined) return (args) => args
  const known = new Set(isRecord(properties) ? Object.keys(properties) : [])
  return (args) => {
    for (const name in args)
      if (!known.has(name)) return Object.fromEntries(Object.entries(args).filter(([given]) => known.has(given)))
    return args
  }
}

/** Whether checking may write: a default anywhere, or a property of that name, which costs a copy and nothing else. */
function hasDefaults(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.hasOwn(schema, 'default') || Object.values(schema).some(hasDefaults)
}

export function createValidator({ definition, config }: Tool, kind: string): Validator {
  const validate = schemaValidator(definition.inputSchema, kind === 'rest' || kind === 'graphql')
  const { select } = definition.graphql ?? {}
  if (select === undefined) return validate
  const redacted = (config.redactPaths?.length ?? 0) > 0
  return (given) => {
    const { [SELECT]: wanted, ...args } = given
    if (wanted === undefined) return validate(given)
    // Under another name, or by another way, the answer would hold what its paths no longer find.
    if (redacted) return { ok: false, problems: [`${SELECT} must be left out: the answers of this tool are redacted`] }
    const selection = readSelection(wanted, select.roots)
    if (!selection.ok) return { ok: false, problems: [`${SELECT} ${selection.message}`] }
    const checked = validate(args)
    return checked.ok ? { ok: true, args: { ...checked.args, [SELECT]: wanted } } : checked
  }
}

/** Whether a validator can make anything of it. */
export const isUsableSchema = (schema: Schema): boolean => compiled(schema, OPTIONS) !== undefined

/** `built`: the request is built here from what is declared, and from nothing else. */
export function schemaValidator(given: Schema, built: boolean): Validator {
  const validate = originalValidator(given, built)
  const keys = argumentKeysOf(given)
  if (keys === undefined) return validate
  return (args) => {
    const problems: string[] = []
    const original = keys.restored(args, problems)
    return problems.length > 0 ? { ok: false, problems: problems.slice(0, MOST_PROBLEMS) } : validate(original)
  }
}

function originalValidator(given: Schema, built: boolean): Validator {
  const schema = schemaWithoutReserved(given)
  const drop = built ? undeclaredDropper(schema) : (args: Arguments) => args
  const plain = multiplies(schema) ? undefined : compiled(schema, OPTIONS)
  // What constrains nothing here, or would never end, is still checked by the upstream.
  if (plain === undefined) return (given) => ({ ok: true, args: drop(given) })
  const filling = hasDefaults(schema) ? compiled(schema, { ...OPTIONS, useDefaults: true }) : undefined

  function checked(validate: ValidateFunction, args: Arguments): Checked {
    if (fits(validate, args)) return { ok: true, args }
    const errors = validate.errors ?? []
    const second = corrected(args, errors, built)
    if (second === undefined) return { ok: false, problems: problemsOf(errors) }
    return fits(validate, second)
      ? { ok: true, args: second }
      : { ok: false, problems: problemsOf(validate.errors ?? []) }
  }

  return (given) => {
    const args = drop(given)
    if (filling === undefined) return checked(plain, args)
    const filled = checked(filling, structuredClone(args))
    // A default that breaks its own schema is no fault of the caller.
    return filled.ok ? filled : checked(plain, args)
  }
}

/** A schema that leads nowhere but to itself has no end, and says nothing. */
function fits(validate: ValidateFunction, args: Arguments): boolean {
  try {
    return validate(args)
  } catch (error) {
    if (error instanceof RangeError) return true
    throw error
  }
}
