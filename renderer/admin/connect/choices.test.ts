// What a client can be connected to.
import { describe, expect, it } from 'vitest'
import { choicesOf, chosenOf } from './choices.ts'

describe('the choices of the connect page', () => {
  it('put bundles first, and the gateway itself last', () => {
    expect(choicesOf([{ name: 'dev' }], [{ name: 'shop' }]).map(({ value }) => value)).toEqual([
      'bundle:dev',
      'client:shop',
      'system',
    ])
  })

  it('fall back to the first, and to the gateway where there is nothing', () => {
    const choices = choicesOf([{ name: 'dev' }], [])
    expect(chosenOf(choices, 'client:gone').value).toBe('bundle:dev')
    expect(chosenOf(choices, 'system').value).toBe('system')
    expect(chosenOf([], undefined).scope).toBe('system')
  })
})
