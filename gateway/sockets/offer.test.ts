// Offered subprotocols: the credential among them, and invalid ones.
import { describe, expect, it } from 'vitest'
import type { GatewayError } from '../contract/error.ts'
import { offerOf } from './offer.ts'

const offered = (protocols: string | undefined, authorization?: string) =>
  offerOf({
    headers: {
      ...(protocols === undefined ? {} : { 'sec-websocket-protocol': protocols }),
      ...(authorization === undefined ? {} : { authorization }),
    },
    rawHeaders: [],
  })
function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return (error as GatewayError).code // nothing else is thrown here
  }
  return 'none'
}
const encoded = (key: string): string => `gantry.bearer.${Buffer.from(key).toString('base64url')}`

describe('an offer of subprotocols', () => {
  it.each([
    ['one that is empty', 'a,,b'],
    ['one that is there twice', 'chat, chat'],
    ['one that is no token', 'a b'],
    ['too many', Array.from({ length: 33 }, (_, n) => `p${n}`).join(',')],
  ])('is refused with %s', (_what, text) => expect(codeOf(() => offered(text))).toBe('INVALID_REQUEST'))

  it.each([
    ['no base64url', 'gantry.bearer.a+b'],
    ['nothing', 'gantry.bearer.'],
    ['another spelling of the same bits', `${encoded('k')}x`],
    ['a line break', encoded('a\r\nb')],
    ['two keys', `${encoded('a')}, ${encoded('b')}`],
  ])('is no credential with %s', (_what, text) => expect(codeOf(() => offered(text))).toBe('UNAUTHORIZED'))

  it('contains one credential, at any position', () => {
    expect(codeOf(() => offered(encoded('a'), 'Bearer b'))).toBe('UNAUTHORIZED')
    expect(offered('chat', 'Bearer b').credential.headers).toMatchObject({ authorization: 'Bearer b' })
    const given = offered(`${encoded('gk_')}, chat, other`)
    expect(given.credential).toEqual({
      headers: { authorization: 'Bearer gk_' },
      rawHeaders: ['Authorization', 'Bearer gk_'],
    })
    expect([given.protocol, given.answered]).toEqual(['chat', 'chat'])
    expect(offered(encoded('a'))).toMatchObject({ protocol: undefined, answered: encoded('a') })
    expect(offered(undefined)).toMatchObject({ protocol: undefined, answered: undefined })
  })
})
