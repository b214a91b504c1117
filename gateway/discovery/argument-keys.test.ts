// Property keys that model APIs refuse: what is listed in their place, and how arguments find back to their originals.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { argumentKeysOf, MODEL_KEY } from './argument-keys.ts'
import type { JsonSchema } from './tool.ts'

const object = (properties: Record<string, unknown>, more: object = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
})
const listedOf = (schema: JsonSchema): JsonSchema => argumentKeysOf(schema)?.listed(schema) ?? schema
const keysOf = (schema: JsonSchema): string[] => Object.keys(listedOf(schema).properties as object)
const restored = (schema: JsonSchema, args: Record<string, unknown>) => {
  const problems: string[] = []
  const original = argumentKeysOf(schema)?.restored(args, problems) ?? args
  return problems.length > 0 ? problems : original
}
const text = { type: 'string' }

describe('a key', () => {
  it('stays as it is where every model API takes it, at no cost to a call', () => {
    expect(argumentKeysOf(object({ id: text, 'a.b-c_D9': text, ['x'.repeat(64)]: text }))).toBeUndefined()
  })

  it.each([
    ['filter[name]', 'filter_name'],
    ['$filter', 'filter'],
    ['$.xgafv', 'xgafv'],
    ['@type', 'type'],
    ['a/b c', 'a_b_c'],
    ['created[gte][]', 'created_gte'],
  ])('%s is listed as %s, and its description names it', (name, key) => {
    expect(listedOf(object({ [name]: { type: 'string', description: 'What.' } }, { required: [name] }))).toEqual({
      type: 'object',
      properties: { [key]: { type: 'string', description: `What. Original name: ${name}` } },
      required: [key],
    })
  })

  it('has a hash of its original where its plain form is taken, shared, too long, empty or reserved', () => {
    const hashed = (key: string) => expect.stringMatching(new RegExp(`^${key}_[0-9a-f]{8}$`))
    expect(keysOf(object({ 'a[b]': text, a_b: text }))).toEqual([hashed('a_b'), 'a_b'])
    expect(keysOf(object({ 'a[b]': text, 'a{b}': text }))).toEqual([hashed('a_b'), hashed('a_b')])
    expect(keysOf(object({ ['x'.repeat(65)]: text }))).toEqual([hashed('x'.repeat(55))])
    expect(keysOf(object({ имя: text, '': text }))).toEqual([hashed('argument'), hashed('argument')])
    expect(keysOf(object({ '[__confirm]': text }))).toEqual([hashed('__confirm')])
  })

  it('does not depend on the order of properties or on what else the schema declares', () => {
    const one = keysOf(object({ 'a[b]': text, 'a{b}': text, 'f[x]': text }))
    const other = keysOf(object({ z: text, 'f[x]': text, 'a{b}': text, 'a[b]': text }))
    expect(new Set(other)).toEqual(new Set([...one, 'z']))
  })
})

describe('arguments', () => {
  const inner = object({ '@id': text, tags: { type: 'array', items: object({ 'n n': text }) } }, { required: ['@id'] })
  const schema = object(
    {
      'filter[name]': text,
      body: { anyOf: [inner, { type: 'null' }] },
      free: { type: 'object', additionalProperties: text },
      map: { type: 'object', additionalProperties: inner },
      node: { $ref: '#/$defs/node' },
    },
    { $defs: { node: object({ $next: { $ref: '#/$defs/node' } }) } },
  )

  it('are translated at every level of objects, lists, alternatives, maps and references', () => {
    const given = {
      filter_name: 'a',
      body: { id: '1', tags: [{ n_n: 'x' }] },
      map: { any: { id: '2' } },
      node: { next: { next: {} } },
    }
    expect(restored(schema, given)).toEqual({
      'filter[name]': 'a',
      body: { '@id': '1', tags: [{ 'n n': 'x' }] },
      map: { any: { '@id': '2' } },
      node: { $next: { $next: {} } },
    })
  })

  it('may be sent under their originals as well, and not under both', () => {
    const original = { 'filter[name]': 'a', body: { '@id': '1' } }
    expect(restored(schema, original)).toEqual(original)
    expect(restored(schema, { 'filter[name]': 'a', filter_name: 'b' })).toEqual([
      'filter_name and filter[name] are the same argument: send one of them',
    ])
  })

  it('that nothing declares pass unchanged', () => {
    const given = { free: { filter_name: 'data', id: 'data' }, filter_name2: 1 }
    expect(restored(schema, given)).toEqual(given)
  })

  it('of any names are listed under fitting, distinct keys that lead back to them', () => {
    const names = fc.uniqueArray(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a$[\]._]{0,4}$/)), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(names, (given) => {
        const usable = given.filter((name) => name !== '__proto__')
        const keys = keysOf(object(Object.fromEntries(usable.map((name) => [name, text]))))
        expect(new Set(keys).size).toBe(usable.length)
        for (const key of keys) expect(key).toMatch(MODEL_KEY)
        const schemaOfAll = object(Object.fromEntries(usable.map((name) => [name, text])))
        const listed = Object.keys(listedOf(schemaOfAll).properties as object)
        const args = Object.fromEntries(listed.map((key, at) => [key, at]))
        expect(Object.keys(restored(schemaOfAll, args)).toSorted()).toEqual(usable.toSorted())
      }),
    )
  })
})
