// The OAuth client of the gateway before the protocol's own referees: each starts authorization servers and MCP servers, and looks at what reaches them.
// They have no scenario for a resource server, and those for an authorization server do not apply: the gateway is not one.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { aRefereedGateway, judgeClient } from './conformance.fixture.ts'
import { type Result, rpc } from './data-plane.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'
import { aMember, BOX_KEY, begin, comeBack, type Member, must, setIdentity } from './upstream-identity.fixture.ts'

type Judged = {
  readonly server: string
  readonly scenario: string
  readonly context: { readonly client_id?: string; readonly client_secret?: string }
}

/** Each expects the address of a metadata document that the suite chose; that of the gateway is its own (`upstream-identity-clients`). */
const FOREIGN_DOCUMENT = ['auth/basic-cimd']
/** At a revision without `initialize` their servers answer it to callers without a token, and so do not ask for a sign-in when they are added. */
const ANSWER_BEFORE_SIGN_IN = ['auth/scope-retry-limit', 'auth/scope-step-up']
/** Of extensions: credentials of a client without a person, DPoP, and an identity provider whose tokens the caller brings (`upstream-identity-exchange`). */
const EXTENSIONS = [
  'auth/client-credentials-basic',
  'auth/client-credentials-jwt',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/enterprise-managed-authorization',
  'auth/wif-jwt-bearer',
]
/** Its server refuses a token moments after it was given. Within half a minute that makes the call fail, and asks for no new connection: it could go on so for ever. */
const MIGRATION = ['auth/authorization-server-migration']
const LONG = process.env.GANTRY_FUZZ_RUNS !== undefined
const MOST_ROUNDS = 4

let gateway: Gateway
let ada: Member
let driver: { readonly url: string; readonly close: () => Promise<void> }
let serial = 0

async function connect(name: string, link: string | undefined): Promise<void> {
  const { location, cookie } = await begin(gateway, ada, link, name)
  const { headers, body } = await request(location)
  await body.dump()
  const back = await comeBack(gateway, cookie, new URL(String(headers.location)))
  if (back.get('connected') !== 'true') throw new Error(`Not connected: ${back}`)
}

/** As a person does: adds the server, connects, reads its tools, calls one, and connects again where the call asks for it. */
async function use({ server, scenario, context }: Judged): Promise<string> {
  const name = `${scenario.replace(/\W+/g, '-')}-${++serial}`
  const body = { name, mcp_url: server, mcp_sign_in: true }
  await must(gateway.admin('/register', { method: 'POST', body }))
  const { client_id: clientId = null, client_secret: clientSecret } = context
  await setIdentity(gateway, { mode: 'per_principal', clientId, ...(clientSecret && { clientSecret }) }, name)
  await connect(name, undefined)
  const rediscover = `/admin-api/clients/${name}/rediscover`
  await must(gateway.ask(rediscover, { method: 'POST', headers: ada.session, body: {} }))
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const headers = { authorization: `Bearer ${ada.key}` }
    const params = { name: 'test-tool', arguments: {} }
    const { json, text } = await rpc(gateway, 'tools/call', params, { path: `/mcp/${name}`, headers })
    const { result } = json as { result?: Result } // by the protocol
    const url = (result?.structuredContent?.details as { connectUrl?: string } | undefined)?.connectUrl // of oauth_required
    if (url === undefined) return text
    await connect(name, url.split('/').at(-1))
  }
  return 'asked again and again'
}

async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ''
  for await (const chunk of asked) text += String(chunk)
  try {
    response.end(await use(JSON.parse(text) as Judged)) // written by conformance-client.mjs
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
}

beforeAll(async () => {
  gateway = await aRefereedGateway({ SECRET_ENCRYPTION_KEY: BOX_KEY, RATE_LIMIT_SSO: '100000' })
  ada = await aMember(gateway, 'ada', 'admin')
  driver = await listening(createServer((asked, response) => void answer(asked, response)))
})
afterAll(async () => {
  await driver.close()
  await gateway.end()
})

it.skipIf(!LONG)('passes the released suite (skipped: long mode only)', { timeout: 180_000 }, async () => {
  const { passed, others } = await judgeClient('conformance', ['--suite', 'auth'], driver.url)
  expect(others).toEqual(FOREIGN_DOCUMENT)
  expect(passed.length).toBeGreaterThanOrEqual(13)
})

it.skipIf(!LONG)(
  'passes what the next suite has of 2026-07-28 (skipped: long mode only)',
  { timeout: 180_000 },
  async () => {
    const judged = await judgeClient('conformance-next', ['--requirements', '2026-07-28'], driver.url)
    const [passed = [], others] = [judged.passed, judged.others].map((all) =>
      all.filter((name) => name.startsWith('auth/')),
    )
    expect(others).toEqual([...FOREIGN_DOCUMENT, ...ANSWER_BEFORE_SIGN_IN, ...EXTENSIONS, ...MIGRATION].toSorted())
    expect(passed.length).toBeGreaterThanOrEqual(20)
  },
)
