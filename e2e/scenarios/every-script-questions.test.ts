// Generated texts of every script in questions that an upstream asks during a call, and in their answers: sampling and elicitation, pushed and in rounds.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConformancePeer, startConformancePeer } from '../peers/mcp-conformance.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import { SEEDS, scripts } from './scripts.fixture.ts'

/** A form holds 64 KiB. */
const LONGEST = 4_000
const TEXTS = SEEDS.flatMap(scripts).filter(({ text }) => text.length < LONGEST)
/** The stateless one asks in rounds, which the gateway turns into questions of the session. */
const ERAS = ['legacy', 'modern'] as const

let gateway: Gateway
const peers: ConformancePeer[] = []
beforeAll(async () => {
  gateway = await startGateway(ROOMY)
  for (const era of ERAS) {
    const peer = await startConformancePeer(era)
    peers.push(peer)
    await registerUpstream(gateway, era, peer.url)
  }
})
afterAll(async () => {
  await gateway.end()
  for (const peer of peers) await peer.close()
})

type Received = { question: unknown }

/** A client that answers every question with the text of the question in other words: itself, twice. */
async function answering(path: string, received: Received): Promise<Client> {
  const client = new Client({ name: 'asked', version: '1' }, { capabilities: { sampling: {}, elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    received.question = params.message
    return { action: 'accept', content: { username: `${params.message}${params.message}`, email: 'a@b.example' } }
  })
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    const [message] = params.messages
    const content = Array.isArray(message?.content) ? message.content[0] : message?.content
    const text = content?.type === 'text' ? content.text : ''
    received.question = text
    return { role: 'assistant', model: 'm', content: { type: 'text', text: `${text}${text}` } }
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url + path)))
  return client
}

const KINDS = { test_elicitation: 'message', test_sampling: 'prompt' } as const

describe.each(ERAS)('an upstream of the %s era', (era) => {
  it.each(Object.entries(KINDS))(
    'asks and is answered in each script (%s) [ct.0.10.results]',
    async (name, argument) => {
      const received: Received = { question: undefined }
      const client = await answering(`/mcp/${era}`, received)
      for (const { what, text } of TEXTS) {
        received.question = undefined
        const { content } = await client.callTool({ name, arguments: { [argument]: text } })
        expect([what, received.question === text]).toEqual([what, true])
        // The tool returns the answer as JSON in its text.
        const [block] = content as { text: string }[] // of the tool
        expect([what, block?.text.includes(JSON.stringify(`${text}${text}`).slice(1, -1))]).toEqual([what, true])
      }
      await client.close()
    },
    60_000,
  )
})
