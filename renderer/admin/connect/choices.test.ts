// The endpoints to connect to.
import { describe, expect, it } from 'vitest'
import { choicesOf, chosenOf, scopesFor } from './choices.ts'

describe('the choices of the connect page', () => {
  it('list bundles first, and the gateway itself last', () => {
    expect(choicesOf([{ name: 'dev' }], [{ name: 'shop' }]).map(({ value }) => value)).toEqual([
      'bundle:dev',
      'client:shop',
      'system',
    ])
  })

  it('include the one in the URL, also beyond the first page', () => {
    expect(chosenOf('client:the-4000th')).toMatchObject({ scope: 'client', name: 'the-4000th' })
    expect(chosenOf('bundle:a:b')).toMatchObject({ scope: 'bundle', name: 'a:b' })
    expect(chosenOf('system')).toMatchObject({ scope: 'system' })
  })

  it('limit a key to what was chosen', () => {
    const scopes = ['bundle:dev', 'client:shop', 'tool:shop/buy', 'system'].map((value) => {
      const choice = chosenOf(value)
      return choice && scopesFor(choice)
    })
    expect(scopes).toEqual([{ bundles: ['dev'] }, { clients: ['shop'] }, { tools: ['shop__buy'] }, undefined])
  })

  it('ignore an invalid URL', () => {
    for (const value of [undefined, '', 'bundle:', 'backend:x', 'dev']) expect(chosenOf(value)).toBeUndefined()
  })
})
