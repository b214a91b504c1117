// Connect inside the call: a client that takes URLs asks its person, and the call goes on once they are connected. In both eras.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it, onTestFinished } from 'vitest'
import { type Answer, aGateway, type Gateway } from './gateway.fixture.ts'
import {
  aMember,
  aProvider,
  aResource,
  BOX_KEY,
  connect,
  type Member,
  type Provided,
  registerPeople,
} from './upstream-identity.fixture.ts'

async function aPlace(): Promise<{ gateway: Gateway; provided: Provided; ada: Member }> {
  const provided = await aProvider()
  const resource = await aResource(provided)
  const gateway = await aGateway({
    ALLOW_PRIVATE_IPS: 'true',
    SECRET_ENCRYPTION_KEY: BOX_KEY,
    RATE_LIMIT_SSO: '100000',
  })
  await registerPeople(gateway, resource.url)
  return { gateway, provided, ada: await aMember(gateway, 'ada') }
}
const linkIn = (url: string): string => url.split('/').at(-1) ?? ''

it('asks a client with sessions, and goes on with the same call', async () => {
  const { gateway, provided, ada } = await aPlace()
  const client = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: { url: {} } } })
  const seen: string[] = []
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    if (params.mode !== 'url') throw new Error('A form was asked for')
    seen.push(params.url)
    await connect(gateway, provided, ada, linkIn(params.url))
    return { action: 'accept' }
  })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp/people`), {
      requestInit: { headers: { authorization: `Bearer ${ada.key}` } },
    }),
  )
  onTestFinished(() => client.close())
  const result = await client.callTool({ name: 'me', arguments: {} })
  expect(JSON.stringify(result.content)).toContain('ada')
  expect(result.isError ?? false).toBe(false)
  expect(seen).toHaveLength(1)
  // A random link, and nothing else of the person or the call.
  expect(seen[0]).toMatch(/\/connect\/[\w-]{32}$/)
})

it('refuses with the link when the person declines', async () => {
  const { gateway, ada } = await aPlace()
  const client = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: { url: {} } } })
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'decline' }))
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp/people`), {
      requestInit: { headers: { authorization: `Bearer ${ada.key}` } },
    }),
  )
  onTestFinished(() => client.close())
  const result = await client.callTool({ name: 'me', arguments: {} })
  expect(result.structuredContent).toMatchObject({ code: 'oauth_required' })
})

it('answers a client without sessions input_required, and goes on with its second request', async () => {
  const { gateway, provided, ada } = await aPlace()
  const send = (more: object = {}): Promise<Answer> =>
    gateway.ask('/mcp/people', {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'me',
        authorization: `Bearer ${ada.key}`,
      },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'me',
          arguments: {},
          ...more,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
          },
        },
      },
    })
  const asked = (await send()).json as {
    result: {
      resultType: string
      inputRequests: Record<string, { params: { mode: string; url: string } }>
      requestState: string
    }
  } // looked at below
  expect(asked.result.resultType).toBe('input_required')
  const [[input, { params }] = expect.fail()] = Object.entries(asked.result.inputRequests)
  expect(params.mode).toBe('url')
  await connect(gateway, provided, ada, linkIn(params.url))
  const { requestState } = asked.result
  const done = await send({ inputResponses: { [input]: { action: 'accept' } }, requestState })
  expect(done.json).toMatchObject({ result: { resultType: 'complete' } })
  expect(done.text).toContain('ada')
})
