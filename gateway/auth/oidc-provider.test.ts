// What the gateway keeps of an identity provider, and for how long.
import { expect, it } from 'vitest'
import { createOidcProvider } from './oidc-provider.ts'

const ISSUER = 'https://idp.example'
const document = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/keys`,
}

it('reads the discovery document again after ten minutes, also when the clock was set back', async () => {
  const time = { clockMs: Date.UTC(2026, 0, 1), passedMs: 0 }
  let asked = 0
  const request = async () => {
    asked += 1
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(document)) }
  }
  const provider = createOidcProvider(
    { request },
    { timeoutMs: 1_000, clock: { now: () => time.clockMs }, monotonic: () => time.passedMs },
  )
  const access = { issuer: ISSUER, clientId: 'gantry', clientSecret: null, trusted: false }
  const askedAfter = async (passedMs: number, clockMs: number) => {
    time.passedMs += passedMs
    time.clockMs += clockMs
    await provider.discover(access)
    return asked
  }
  expect(await askedAfter(0, 0)).toBe(1)
  expect(await askedAfter(599_000, 86_400_000)).toBe(1)
  expect(await askedAfter(2_000, -172_800_000)).toBe(2)
})
