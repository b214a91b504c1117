// What of a draft may be stored in the browser, and what is restored from there.
import { describe, expect, it } from 'vitest'
import { restoredOver, storable } from './kept-draft.ts'

describe('a stored draft', () => {
  it('omits the fields that the form calls secret', () => {
    expect(storable({ name: 'a', clientSecret: 'x', key: 'y' }, ['key'])).toEqual({ name: 'a' })
  })

  it.each([
    ['a command with a credential', `curl https://api.example.com/items -H 'Authorization: Basic YWxhZGRpbg=='`],
    ['a document with a credential', '{"name":"x","headers":[{"name":"x-api-key","value":"0123456789"}]}'],
    ['a credential by its shape', 'ghp_0123456789abcdefghij'],
  ])('omits %s', (_what, text) => {
    expect(storable({ name: 'a', text })).toEqual({ name: 'a' })
  })

  it('omits a whole field that holds a credential inside, so that no half of it returns', () => {
    expect(storable({ steps: [{ id: 'a', args: { token: 'x' } }], name: 'a' })).toEqual({ name: 'a' })
  })

  it('keeps a list as it is', () => {
    expect(storable([{ client: 'a', tool: 'b' }])).toEqual([{ client: 'a', tool: 'b' }])
  })
})

describe('a restored draft', () => {
  it('has the fields that the form has today, in their kind', () => {
    const kept = { rate: '5', gone: 'x', names: 'not a list' }
    expect(restoredOver({ rate: '', names: { a: 1 }, on: true }, kept)).toEqual({
      rate: '5',
      names: { a: 1 },
      on: true,
    })
  })
})
