// Authentication on the data plane: refusals first, then the open gateway.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { DataPlaneCaller } from './credential.ts'
import { createDataPlane } from './data-plane.ts'
import { everything } from './key-scope.ts'
import type { ManagedKey } from './managed-keys.ts'

const KEY = 'an-env-key-of-the-tests'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The two request fields in use: a double of a socket. */
function request(...authorization: readonly string[]): IncomingMessage {
  const rawHeaders = ['Host', 'x', ...authorization.flatMap((value) => ['Authorization', value])]
  return { headers: { authorization: authorization[0] }, rawHeaders } as unknown as IncomingMessage
}

const managedCaller = { name: 'mcp-key:1', kind: 'key', mayReach: everything } as unknown as DataPlaneCaller // enough of one

type Given = {
  env?: string[]
  require?: boolean
  jwks?: string | null
  rows?: number
  off?: boolean
  host?: string
  hosts?: string[]
  publicUrl?: string
}

function aPlane(given: Given = {}) {
  const state = { rows: given.rows ?? 0, stands: true, lookups: 0 }
  const key: ManagedKey = {
    current: () => (state.stands ? managedCaller : undefined),
    caller: async () => (state.stands ? managedCaller : undefined),
  }
  const opened: boolean[] = []
  const plane = createDataPlane({
    settings: {
      MCP_API_KEYS: given.env ?? [],
      REQUIRE_MCP_AUTH: given.require ?? false,
      JWT_JWKS_URL: given.jwks ?? null,
      AUTH_DISABLED: given.off ?? false,
      HOST: given.host ?? '127.0.0.1',
      ALLOWED_HOSTS: given.hosts ?? [],
      GATEWAY_PUBLIC_URL: given.publicUrl ?? null,
    },
    managed: {
      rows: () => state.rows,
      find(hash) {
        state.lookups += 1
        return state.rows > 0 && hash === sha256('mcp_managed') ? key : undefined
      },
    },
    tokens: null,
    onOpen: (open) => opened.push(open),
  })
  const who = async (...authorization: readonly string[]): Promise<string> => {
    try {
      return (await plane.authenticate(request(...authorization))).name
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  return { plane, state, opened, who }
}

const REFUSED = 'Send a valid key as Authorization: Bearer'

describe('a credential', () => {
  it.each([
    ['nothing', []],
    ['no value', ['Bearer']],
    ['an empty value', ['Bearer ']],
    ['a wrong value', ['Bearer wrong']],
    ['another scheme', [`Basic ${Buffer.from(`x:${KEY}`).toString('base64')}`]],
    ['no scheme', [KEY]],
    ['something behind it', [`Bearer ${KEY} x`]],
    ['a part of a key', [`Bearer ${KEY.slice(0, -1)}`]],
    ['an upper-cased key', [`Bearer ${KEY.toUpperCase()}`]],
    ['full-width letters', ['Bearer ａn-env-key-of-the-tests']],
    ['the digest of a key', [`Bearer ${sha256(KEY)}`]],
    ['two of them', [`Bearer ${KEY}`, `Bearer ${KEY}`]],
    ['a bad one before a good one', ['Bearer wrong', `Bearer ${KEY}`]],
    ['far too long', [`Bearer ${'x'.repeat(20_000)}`]],
  ])(
    'of %s is refused, always in the same words (security cases AN-01, AN-06) [ct.2.1.data-missing gw.auth-var.mcp_api_keys]',
    async (_what, given) => {
      const { who } = aPlane({ env: [KEY] })
      expect(await who(...given)).toBe(REFUSED)
      // A valid one in between does not change that.
      expect(await who(`Bearer ${KEY}`)).toBe(`mcp-env:${sha256(KEY).slice(0, 8)}`)
      expect(await who(...given)).toBe(REFUSED)
    },
  )

  it('of the environment is named by its fingerprint [ct.2.2.mcp-env]', async () => {
    const { who, state } = aPlane({ env: [KEY, 'another-key-of-the-tests'] })
    expect(await who('Bearer another-key-of-the-tests')).toBe(
      `mcp-env:${sha256('another-key-of-the-tests').slice(0, 8)}`,
    )
    expect(await who(`bearer ${KEY}`)).toBe(`mcp-env:${sha256(KEY).slice(0, 8)}`)
    expect(state.lookups).toBe(0)
  })

  it('is checked again with every request after it was accepted', async () => {
    const { who, state } = aPlane({ rows: 1 })
    expect(await who('Bearer mcp_managed')).toBe('mcp-key:1')
    expect(await who('Bearer mcp_managed')).toBe('mcp-key:1')
    expect(state.lookups).toBe(1)
    state.stands = false
    expect(await who('Bearer mcp_managed')).toBe(REFUSED)
    state.stands = true
    expect(await who('Bearer mcp_managed')).toBe('mcp-key:1')
  })
})

describe('ten thousand wrong keys of 15 KB (security case AN-07)', () => {
  it('cost one digest each and no memory', async () => {
    const { who, state } = aPlane({ env: [KEY], rows: 1 })
    const wrong = Array.from({ length: 50 }, (_each, at) => `Bearer ${at}`.padEnd(15_000, 'k'))
    const took = async (work: (text: string) => unknown): Promise<number> => {
      const since = performance.now()
      for (const text of wrong) await work(text)
      return performance.now() - since
    }
    // In turns, best round of each: other load only adds time.
    let [asked, digested] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let round = 0; round < 200; round += 1) {
      asked = Math.min(asked, await took(who))
      digested = Math.min(digested, await took(async (text) => sha256(text)))
    }
    expect(asked / digested).toBeLessThan(5)
    expect(state.lookups).toBe(10_000)
    expect(await who(`Bearer ${KEY}`)).toBe(`mcp-env:${sha256(KEY).slice(0, 8)}`)
  })
})

const CASES = [[], [KEY]].flatMap((env) =>
  [0, 1].flatMap((rows) =>
    [null, 'https://idp.test/jwks'].flatMap((jwks) => [false, true].map((require) => ({ env, rows, jwks, require }))),
  ),
)

describe('the data plane', () => {
  it.each(CASES)(
    'with $env.length env keys, $rows rows, the JWKS $jwks and REQUIRE_MCP_AUTH=$require asks for a credential, except when none exists [ct.2.1.open gw.auth.1-require gw.auth.1-jwks-locks gw.auth-var.require_mcp_auth]',
    async (given) => {
      const { plane, who } = aPlane(given)
      const open = given.env.length === 0 && given.rows === 0 && given.jwks === null && !given.require
      expect([plane.open, await who(), await who('Bearer wrong')]).toEqual(
        open ? [true, 'anonymous', 'anonymous'] : [false, REFUSED, REFUSED],
      )
    },
  )

  const BEYOND = ['0.0.0.0', '::', '192.0.2.7']
  const NAMES = [{}, { hosts: ['gateway.example'] }, { publicUrl: 'https://gateway.example' }]
  it.each(
    ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', ...BEYOND].flatMap((host) =>
      NAMES.flatMap((name) => [{ rows: 0 }, { rows: 1 }, { env: [KEY] }].map((keys) => ({ host, ...name, ...keys }))),
    ),
  )('bound and configured as %o is open without a key only on loopback or with a name of its own', async (given) => {
    const { plane, who } = aPlane(given)
    const keyless = !('env' in given) && given.rows === 0
    const nameless = BEYOND.includes(given.host) && !('hosts' in given) && !('publicUrl' in given)
    expect([plane.open, plane.nameless]).toEqual([keyless && !nameless, keyless && nameless])
    expect(await who()).toEqual(
      keyless ? (nameless ? expect.stringContaining('set ALLOWED_HOSTS or GATEWAY_PUBLIC_URL') : 'anonymous') : REFUSED,
    )
  })

  it('beyond loopback without a name stays closed when its last key is deleted', async () => {
    const { plane, state, opened, who } = aPlane({ host: '0.0.0.0', rows: 1 })
    state.rows = 0
    plane.keysChanged()
    expect([plane.open, opened, await who('Bearer mcp_managed')]).toEqual([
      false,
      [],
      expect.stringContaining('There is no MCP key yet'),
    ])
  })

  it('that is open treats any credential as anonymous, and uses its hash for allow-lists [ct.2.1.open-anonymous ct.2.2.anonymous]', async () => {
    const { plane } = aPlane()
    const caller = await plane.authenticate(request('Bearer some-key'))
    expect([caller.name, caller.keyHash, caller.adminRole]).toEqual(['anonymous', sha256('some-key'), null])
  })

  it('closes with the first key, and ends anonymous callers', async () => {
    const { plane, state, opened, who } = aPlane()
    const received: string[] = []
    const caller = await plane.authenticate(request())
    caller.onEnd?.(() => received.push('end'))
    state.rows = 1
    plane.keysChanged()
    plane.keysChanged()
    expect([received, opened, await who()]).toEqual([['end'], [false], REFUSED])
    state.rows = 0
    plane.keysChanged()
    expect([opened, await who()]).toEqual([[false, true], 'anonymous'])
  })

  it('with authentication turned off accepts every caller', async () => {
    const { who } = aPlane({ env: [KEY], require: true, off: true })
    expect([await who(), await who('Bearer wrong')]).toEqual(['auth-disabled', 'auth-disabled'])
  })
})
