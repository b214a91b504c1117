// In which order a request is judged: of all its faults, the first is reported, so that nothing is revealed too early.
import { expect, it } from 'vitest'
import { bearer, mint } from './access.fixture.ts'
import { aShop, aShopGateway } from './data-plane.fixture.ts'
import { type Answer, type Env, type Gateway } from './gateway.fixture.ts'
import { codeOf, jsonOf } from './registration.fixture.ts'

const ask = (gateway: Gateway, path: string, headers: Env, raw: string): Promise<Answer> =>
  gateway.ask(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: raw })
/** The code of the envelope, or of the JSON-RPC error. */
function codeIn(answer: Answer): string | undefined {
  const { error } = jsonOf<{ error?: { code?: unknown; data?: { code?: string } } }>(answer)
  return error?.data?.code ?? codeOf(answer)
}

it('is the order of the contract [ct.5.1.order]', async () => {
  const { gateway } = await aShop({ ALLOWED_ORIGINS: 'https://ours.example', ALLOWED_HOSTS: '127.0.0.1' })
  const bound = await mint(gateway, { scopes: { bundles: ['some-bundle'] } })
  const free = await mint(gateway)
  // Each line fixes what the line before was refused for, and nothing else.
  const steps: readonly (readonly [Env, string, string])[] = [
    [{ host: 'evil.example' }, '/mcp/missing', 'HOST_NOT_ALLOWED'],
    [{}, '/mcp/missing', 'ORIGIN_NOT_ALLOWED'],
    [{ origin: 'https://ours.example' }, '/mcp/missing', 'UNAUTHORIZED'],
    [bearer(bound.key), '/mcp/missing', 'KEY_SCOPE'],
    [bearer(free.key), '/mcp/missing', 'CLIENT_NOT_FOUND'],
    [{}, '/mcp/petstore', 'INVALID_SESSION_ID'],
    [{ 'mcp-session-id': '' }, '/mcp/petstore', 'UNSUPPORTED_PROTOCOL_VERSION'],
    [{ 'mcp-protocol-version': '2025-11-25' }, '/mcp/petstore', 'PARSE_ERROR'],
  ]
  let headers: Env = {
    origin: 'https://evil.example',
    'mcp-session-id': 'no seal of ours',
    'mcp-protocol-version': '1999-01-01',
  }
  const { host: own } = new URL(gateway.url)
  for (const [better, path, code] of steps) {
    const corrected = Object.entries({ ...headers, host: own, ...better })
    headers = Object.fromEntries(corrected.filter(([, value]) => value !== ''))
    expect([code, codeIn(await ask(gateway, path, headers, 'no JSON at all'))]).toEqual([code, code])
  }
  const well = await ask(gateway, '/mcp/petstore', headers, '{"jsonrpc":"2.0","id":1,"method":"ping"}')
  expect(well.status).toBe(200)
})

it('counts requests before it looks at credentials, and calls before it reads their bodies [ct.5.1.order]', async () => {
  const busy = await aShopGateway({ RATE_LIMIT_GLOBAL: '2', REQUIRE_MCP_AUTH: 'true' })
  const codes = []
  for (let turn = 0; turn < 4; turn += 1) codes.push(codeIn(await ask(busy, '/mcp/missing', {}, '{')))
  expect([codes.includes('UNAUTHORIZED'), codes.at(-1)]).toEqual([true, 'RATE_LIMITED'])
  const { gateway } = await aShop({ RATE_LIMIT_MCP: '1' })
  const answers = []
  for (let turn = 0; turn < 3; turn += 1) answers.push(codeIn(await ask(gateway, '/mcp/petstore', {}, '{')))
  expect([answers[0], answers.at(-1)]).toEqual(['PARSE_ERROR', 'RATE_LIMITED'])
})
