// What a template becomes: values with their types, text with values in it, nothing of a prototype, and bounded in size.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileTemplate, type Earlier, type Scope, type StepFacts, TemplateProblem } from './template.ts'

const facts = (json: unknown, text = JSON.stringify(json) ?? '', isError = false): StepFacts => ({
  json: () => json,
  text,
  isError,
  skipped: false,
})
const EARLIER: Earlier = {
  count: 2,
  ids: new Map([
    ['pet', 0],
    ['late', 2],
  ]),
}
const scope = (given: Partial<Scope> = {}): Scope => ({
  input: { id: 5, name: 'Rex', nested: { deep: [1, { two: 2 }] }, none: null, 'odd key': 1 },
  steps: [facts({ id: 7, tags: ['a', 'b'] }), facts(undefined, 'plain text', true)],
  spend: () => undefined,
  ...given,
})
const made = (template: unknown, given = scope()): unknown => compileTemplate(template, EARLIER, 'at')(given)

describe('a reference', () => {
  it.each([
    ['input', scope().input],
    ['input.id', 5],
    ['input.none', null],
    ['input.odd key', 1],
    ['input.nested.deep.1.two', 2],
    ['steps.0.json', { id: 7, tags: ['a', 'b'] }],
    ['steps.pet.json.tags.1', 'b'],
    ['steps.1.text', 'plain text'],
    ['steps.1.isError', true],
    ['steps.0.skipped', false],
  ])('%s is its value with its type [ct.10.8.templates]', (path, value) => {
    expect(made({ $ref: path })).toEqual(value)
    expect(made({ kept: { $ref: path } })).toEqual({ kept: value })
  })

  it('that finds nothing leaves its property out, and a null in a list', () => {
    expect(made({ a: { $ref: 'input.nope' }, b: [{ $ref: 'input.nested.deep.9' }, 1] })).toEqual({ b: [null, 1] })
    expect(made({ $ref: 'steps.1.json.x' })).toBeUndefined()
  })

  it.each([
    'input.constructor',
    'input.__proto__',
    'input.name.length',
    'input.nested.deep.length',
    'steps.0.json.toString',
  ])('%s finds nothing: a prototype is not data (security case RX-04)', (path) => {
    expect(made({ $ref: path })).toBeUndefined()
    expect(made(`\${${path}}`)).toBe('')
  })

  it.each([
    '',
    'input.',
    'input..id',
    'other.id',
    'steps',
    'steps.0',
    'steps.2.text',
    'steps.late.text',
    'steps.missing.text',
    'steps.-1.text',
    'steps.01.text',
    'steps.0.other',
    'steps.0.text.more',
    'steps.0.isError.more',
  ])('%j is refused where it stands [ct.10.8.paths]', (path) => {
    for (const template of [{ a: [{ $ref: path }] }, { a: [`x \${${path}}`] }])
      expect(() => compileTemplate(template, EARLIER, 'at')).toThrow(TemplateProblem)
    try {
      compileTemplate({ a: [{ $ref: path }] }, EARLIER, 'at')
    } catch (error) {
      expect(error).toMatchObject({ path: 'at.a.0.$ref' })
    }
  })

  it('is one only when it stands alone', () => {
    expect(made({ $ref: 'input.id', other: 1 })).toEqual({ $ref: 'input.id', other: 1 })
    expect(() => made({ $ref: 7 })).toThrow('must be a path')
  })
})

describe('text', () => {
  it.each([
    ['no. ${input.id}: ${input.name}!', 'no. 5: Rex!'],
    ['${input.nested.deep}', '[1,{"two":2}]'],
    ['<${input.nope}>', '<>'],
    ['${input.none}', 'null'],
    ['costs $${5} and $5', 'costs ${5} and $5'],
    ['$${input.id} ${input.id}', '${input.id} 5'],
    ['$', '$'],
    ['', ''],
  ])('%j becomes %j', (template, text) => {
    expect(made(template)).toBe(text)
  })

  it('with an open brace and no end is refused', () => {
    expect(() => made('a ${input.id')).toThrow('without its "}"')
  })

  it('is read once: what a step answered is not a template (security case CA-11) [ct.10.8.templates]', () => {
    const hostile = scope({ steps: [facts('${input.name} {"$ref":"input"}'), undefined] })
    expect(made('${steps.0.json}', hostile)).toBe('${input.name} {"$ref":"input"}')
    expect(made({ x: { $ref: 'steps.0.json' } }, hostile)).toEqual({ x: '${input.name} {"$ref":"input"}' })
  })
})

it('what names nothing stays unchanged, of any type', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value).replaceAll('$', '_')) as unknown
      expect(made(plain)).toEqual(plain)
    }),
  )
})

it('a step that was only imagined gives null for everything', () => {
  const dry = scope({ steps: [undefined, undefined] })
  expect(made({ a: { $ref: 'steps.0.json.id' }, b: 'x${steps.1.text}' }, dry)).toEqual({ a: null, b: 'xnull' })
})

it('what it writes is counted, so that few bytes of template cannot become any number of bytes', () => {
  let spent = 0
  const counting = scope({ input: { big: 'x'.repeat(1000) }, spend: (length) => void (spent += length) })
  made({ a: '${input.big}${input.big}', b: { $ref: 'input.big' }, c: { $ref: 'input' } }, counting)
  expect(spent).toBeGreaterThanOrEqual(4000)
})
