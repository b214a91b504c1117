// Four combinations: a client of either era before an upstream of either. What passes between the two passes in each of them.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type McpPeer, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { type ConformancePeer, startConformancePeer } from '../peers/mcp-conformance.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import { aSession, aStateless, type Message, messagesOf, textOf } from './transparent.fixture.ts'

const ERAS = ['legacy', 'modern'] as const
type Era = (typeof ERAS)[number]
type Answers = Readonly<Record<string, object>>
type Reply = { readonly answer: Message; readonly asked: Message[]; readonly received: Message[] }
/** A client that answers what it is asked, in the way of its era. */
type Caller = (
  tool: string,
  args?: object,
  options?: { readonly answers?: Answers; readonly meta?: object },
) => Promise<Reply>

const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} }
const ANSWERS: Answers = {
  'elicitation/create': { action: 'accept', content: { username: 'ann', email: 'a@b', name: 'ann' } },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } },
  'roots/list': { roots: [{ uri: 'file:///work', name: 'work' }] },
}

let gateway: Gateway
const peers: (ConformancePeer | McpPeer)[] = []
const slow = new Map<Era, McpPeer>()
beforeAll(async () => {
  gateway = await startGateway(ROOMY)
  for (const era of ERAS) {
    const [peer, sleeper] = [await startConformancePeer(era), await startMcpPeer({ era })]
    peers.push(peer, sleeper)
    slow.set(era, sleeper)
    await registerUpstream(gateway, `talks-${era}`, peer.url)
    await registerUpstream(gateway, `sleeps-${era}`, sleeper.url)
  }
}, 120_000)
afterAll(async () => {
  await gateway.end()
  for (const peer of peers) await peer.close()
})

async function legacyCaller(path: string): Promise<Caller> {
  const client = await aSession(gateway, CAPABILITIES, { path })
  return async (name, args = {}, { answers = ANSWERS, meta = {} } = {}) => {
    const level = Object.entries(meta).find(([key]) => key.endsWith('logLevel'))?.[1]
    if (level !== undefined) await client.ask('logging/setLevel', { level })
    const params = { name, arguments: args, _meta: meta }
    const reply: { asked: Message[]; received: Message[] } = { asked: [], received: [] }
    for await (const message of messagesOf(await client.post({ id: 'call', method: 'tools/call', params }))) {
      if (message.method === undefined) return { answer: message, ...reply }
      if (message.id === undefined) reply.received.push(message)
      else {
        reply.asked.push(message)
        const result = answers[message.method]
        await client.post({ id: message.id, ...(result ? { result } : { error: { code: -1, message: 'no' } }) })
      }
    }
    throw new Error('The stream ended before the answer')
  }
}

function modernCaller(path: string): Caller {
  return async (name, args = {}, { answers = ANSWERS, meta = {} } = {}) => {
    const client = aStateless(gateway, CAPABILITIES, { path, meta })
    const reply: { asked: Message[]; received: Message[] } = { asked: [], received: [] }
    let more: object = {}
    for (let round = 0; round < 5; round += 1) {
      const { answer, before } = await client.ask('tools/call', { name, arguments: args, ...more })
      reply.received.push(...before)
      if (answer.result?.resultType !== 'input_required') return { answer, ...reply }
      const { inputRequests, requestState } = answer.result
      const wanted = Object.entries(inputRequests as Record<string, Message>) // requests by key
      reply.asked.push(...wanted.map(([, request]) => request))
      const inputResponses = Object.fromEntries(wanted.map(([key, { method = '' }]) => [key, answers[method]]))
      more = { inputResponses, ...(requestState === undefined ? {} : { requestState }) }
    }
    throw new Error('It never stops asking')
  }
}

const callerOf = async (era: Era, path: string): Promise<Caller> =>
  era === 'legacy' ? legacyCaller(path) : modernCaller(path)
const combinations = ERAS.flatMap((client) => ERAS.map((upstream) => [client, upstream] as const))
const methods = (messages: readonly Message[]): (string | undefined)[] => messages.map(({ method }) => method)

describe.each(combinations)('a %s client of a %s upstream', (era, upstream) => {
  const talking = () => callerOf(era, `/mcp/talks-${upstream}`)

  it('is asked for a form, a sample and its roots, and what it gives arrives', async () => {
    const call = await talking()
    const asked = async (tool: string, args: object = {}) => {
      const reply = await call(tool, args)
      return [methods(reply.asked), textOf(reply.answer)]
    }
    expect(await asked('test_elicitation', { message: 'Who?' })).toEqual([
      ['elicitation/create'],
      expect.stringContaining('"username":"ann"'),
    ])
    expect(await asked('test_sampling', { prompt: 'Capital?' })).toEqual([
      ['sampling/createMessage'],
      expect.stringContaining('Paris'),
    ])
    expect(await asked('test_roots')).toEqual([['roots/list'], expect.stringContaining('file:///work')])
  })

  it('may decline, which its upstream receives', async () => {
    const call = await talking()
    const reply = await call(
      'test_elicitation',
      { message: 'Who?' },
      { answers: { 'elicitation/create': { action: 'decline' } } },
    )
    expect(textOf(reply.answer)).toContain('"action":"decline"')
  })

  it('follows the progress of a call under its own token', async () => {
    const call = await talking()
    const { received, answer } = await call('test_tool_with_progress', {}, { meta: { progressToken: 'mine' } })
    expect(received.map(({ method, params }) => [method, params?.progressToken, params?.progress])).toEqual(
      [0, 50, 100].map((done) => ['notifications/progress', 'mine', done]),
    )
    expect(textOf(answer)).toBe('Done')
    expect((await call('test_tool_with_progress')).received).toEqual([])
  })

  it('follows it also when it is asked in between', async () => {
    const call = await talking()
    const reply = await call('test_streaming_elicitation', {}, { meta: { progressToken: 7 } })
    expect(methods(reply.received)).toContain('notifications/progress')
    expect(reply.received.every(({ params }) => params?.progressToken === 7)).toBe(true)
    expect([methods(reply.asked), textOf(reply.answer)]).toEqual([
      ['elicitation/create'],
      expect.stringContaining('action=accept'),
    ])
  })

  it('reads the log of a call from the level it names', async () => {
    const call = await talking()
    const level = (value: string) => ({ meta: { 'io.modelcontextprotocol/logLevel': value } })
    expect(methods((await call('test_logging_tool', {}, level('info'))).received)).toEqual(['notifications/message'])
    expect((await call('test_logging_tool', {}, level('error'))).received).toEqual([])
  })

  it('cancels a call, and its upstream receives it', async () => {
    const path = `/mcp/sleeps-${upstream}`
    const peer = slow.get(upstream)
    if (peer === undefined) throw new Error('It was started')
    const before = {
      calls: peer.count('tools/call'),
      cancellations: peer.count('notifications/cancelled'),
      left: peer.abandoned.length,
    }
    const params = { name: 'slow', arguments: { ms: 60_000 } }
    const started = () => vi.waitUntil(() => peer.count('tools/call') > before.calls, { timeout: 20_000 })
    if (era === 'legacy') {
      const client = await aSession(gateway, {}, { path })
      const under = client.post({ id: 'call', method: 'tools/call', params })
      await started()
      await client.post({ method: 'notifications/cancelled', params: { requestId: 'call' } })
      expect(await (await under).text()).toBe('')
    } else {
      const gone = new AbortController()
      const under = aStateless(gateway, {}, { path }).send('tools/call', params, gone.signal)
      await started()
      gone.abort()
      await expect(under).rejects.toThrow()
    }
    // The era of the upstream decides the form: a message, or the end of the request.
    await vi.waitUntil(
      () =>
        upstream === 'legacy'
          ? peer.count('notifications/cancelled') > before.cancellations
          : peer.abandoned.slice(before.left).includes('tools/call'),
      { timeout: 20_000 },
    )
  })
})
