// A call that waits for a person, over real sockets: refused with a ticket, decided by people, passed once; on every surface and in both eras.
import { createHmac } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Approval } from '#contract'
import { AGENT, fresh, OTHER, reasonOf, SECRET, ticketOf, useApprovals } from './approvals.fixture.ts'
import { body, code, make, member } from './curation.fixture.ts'
import { anUpstream, type Result, refusalOf, rpc } from './data-plane.fixture.ts'
import { listen } from './events.fixture.ts'
import type { Answer, Env } from './gateway.fixture.ts'
import { EDITORS } from './pcg.fixture.ts'

const { gateway, people, hooks, sink, configure, calling, addPet, decide, approve, read, posts, audited } =
  useApprovals()

describe('a tool that needs an approval', () => {
  it('goes from queued over approved to consumed, and reaches its backend once [ct.5.14.approval ct.5.8.approval ct.19.19.approval ct.7.7.approval-decide]', async () => {
    const args = fresh()
    const first = await addPet(args)
    const id = ticketOf(first)
    expect(first.isError).toBe(true)
    expect(first.content[0]?.text).toContain(`{"__approval_id": ${id}}`)
    expect(refusalOf(first)).toMatchObject({
      code: 'approval',
      gate: 'approval',
      reason: 'queued',
      tool: 'addPet',
      approval: { id, status: 'pending', requiredLevels: 1, approvalsReceived: 0, expiresAt: expect.any(String) },
    })
    expect(reasonOf(await addPet(args))).toBe('pending')
    expect(reasonOf(await addPet({ ...args, __approval_id: id }))).toBe('pending')
    expect(posts()).toBe(0)
    const decided = await decide(id, 'approve', people().ann, 'fine by me')
    expect(decided.status).toBe(200)
    expect(decided.json).toMatchObject({
      id,
      status: 'approved',
      approvalsReceived: 1,
      requiredLevels: 1,
      note: 'fine by me',
    })
    expect(code(await decide(id, 'approve', people().bob))).toBe('NOT_PENDING')
    expect(reasonOf(await addPet({ ...fresh(), __approval_id: id }))).toBe('args_mismatch')
    expect(reasonOf(await addPet({ ...args, __approval_id: id }, OTHER))).toBe('not_found')
    expect(posts()).toBe(0)
    const passed = await addPet({ ...args, __approval_id: String(id) })
    expect([passed.isError, posts()]).toEqual([undefined, 1])
    expect(reasonOf(await addPet({ ...args, __approval_id: id }))).toBe('consumed')
    expect(posts()).toBe(1)
  })

  it.each<[string, string, object, object]>([
    ['a canary', 'canary', { weight: 100 }, { canary: null }],
    ['a failover', 'canary', { mode: 'failover' }, { canary: null }],
    ['a pool', 'lb', { strategy: 'random', primaryWeight: 0 }, { lb: null }],
  ])(
    'is not passed with an approval from before %s, and reaches no other server',
    async (_which, route, given, none) => {
      const elsewhere = await anUpstream()
      const server = { secondaryBaseUrl: elsewhere.url }
      const put = (wanted: object) =>
        gateway().admin(`/admin-api/clients/petstore/${route}`, { method: 'PUT', body: wanted })
      const args = fresh()
      const id = ticketOf(await addPet(args))
      await approve(id)
      const set = await put(
        route === 'lb' ? { ...given, upstreams: [{ baseUrl: elsewhere.url }] } : { ...given, ...server },
      )
      expect([set.status, set.text]).toEqual([200, expect.any(String)])
      try {
        expect(reasonOf(await addPet({ ...args, __approval_id: id }))).toBe('args_mismatch')
        expect([posts(), elsewhere.seen]).toEqual([0, []])
      } finally {
        await put(none)
      }
      // As it was when the person looked at it.
      expect((await addPet({ ...args, __approval_id: id })).isError).toBeUndefined()
    },
  )

  it('is passed by one of many calls that come with the ticket together (case CA-07)', async () => {
    const args = fresh()
    const id = ticketOf(await addPet(args))
    const approvals = await Promise.all(
      Array.from({ length: 20 }, (_, at) => decide(id, 'approve', at % 2 ? people().ann : people().bob)),
    )
    expect(approvals.filter(({ status }) => status === 200)).toHaveLength(1)
    const answer = await Promise.all(Array.from({ length: 20 }, () => addPet({ ...args, __approval_id: id })))
    expect(answer.filter(({ isError }) => !isError)).toHaveLength(1)
    expect(posts()).toBe(1)
  })

  it('keeps its ticket when another gate refuses', async () => {
    await configure('addPet', { sensitive: true, guards: { rateLimitPerMin: 1 } })
    const [args, more] = [fresh(), fresh()]
    const id = ticketOf(await addPet({ ...args, __confirm: true }))
    const other = ticketOf(await addPet({ ...more, __confirm: true }))
    await approve(id)
    await approve(other)
    expect(refusalOf(await addPet({ ...args, __approval_id: id }))).toMatchObject({ code: 'confirm_required' })
    expect((await addPet({ ...args, __confirm: true, __approval_id: id })).isError).toBeUndefined()
    const late = await addPet({ ...more, __confirm: true, __approval_id: other })
    expect(refusalOf(late)).toMatchObject({ code: 'rate_limit' })
    expect((await read(other)).status).toBe('approved')
  })

  it('needs as many people as it says, never the one who called, and only who is named [ct.18.self_approval ct.18.not_an_approver]', async () => {
    await configure('addPet', { approval: { levels: 2 } })
    const args = fresh()
    const tried = await gateway().ask('/admin-api/clients/petstore/tools/addPet/test', {
      method: 'POST',
      body: { args },
      headers: people().ann,
    })
    const own = ticketOf(body(tried).result as Result)
    expect(code(await decide(own, 'approve'))).toBe('SELF_APPROVAL')
    await approve(own, people().bob)
    expect(code(await decide(own, 'approve', people().bob))).toBe('ALREADY_DECIDED')
    expect((await gateway().admin(`/admin-api/approvals/${own}/approve`, { method: 'POST', body: {} })).status).toBe(
      200,
    )
    expect((await read(own)).status).toBe('approved')
    await configure('addPet', { approval: { approvers: ['bob'] } })
    const named = ticketOf(await addPet(fresh()))
    expect(code(await decide(named, 'approve'))).toBe('NOT_AN_APPROVER')
    expect(code(await decide(named, 'reject', people().viewer))).toBe('FORBIDDEN')
    expect((await decide(named, 'reject', people().bob)).json).toMatchObject({ status: 'rejected', decidedBy: 'bob' })
  })

  it('cannot be approved by the person who called it on behalf of a key, nor used by the key or another person [ct.18.self_approval]', async () => {
    const path = '/admin-api/mcp-keys'
    const minted = body(await gateway().admin(path, { method: 'POST', body: { label: 'an agent' } }))
    const key = { authorization: `Bearer ${String(minted.key)}` }
    const trying = async (who: Env, args: object): Promise<Result> => {
      const tried = await gateway().ask('/admin-api/clients/petstore/tools/addPet/test', {
        method: 'POST',
        body: { args, keyId: minted.id },
        headers: who,
      })
      return body(tried).result as Result
    }
    const args = fresh()
    const id = ticketOf(await trying(people().ann, args))
    expect(await read(id)).toMatchObject({ actingPerson: 'ann', requestedBy: minted.id })
    expect((await audited('approval.request'))[0]?.detail).toMatchObject({ actingPerson: 'ann' })
    const own = await decide(id, 'approve', people().ann)
    expect([own.status, code(own)]).toEqual([403, 'SELF_APPROVAL'])
    // The agent's own call of the same is another one: neither ticket is good for both.
    const agents = ticketOf(await addPet(args, key))
    expect(agents).not.toBe(id)
    await approve(agents)
    expect(reasonOf(await trying(people().ann, { ...args, __approval_id: agents }))).toBe('not_found')
    await approve(id, people().bob)
    expect(reasonOf(await addPet({ ...args, __approval_id: id }, key))).toBe('not_found')
    expect(reasonOf(await trying(people().bob, { ...args, __approval_id: id }))).toBe('not_found')
    expect(posts()).toBe(0)
    expect((await trying(people().ann, { ...args, __approval_id: id })).isError).toBeUndefined()
    expect((await addPet({ ...args, __approval_id: agents }, key)).isError).toBeUndefined()
    expect(posts()).toBe(2)
    await gateway().admin(`${path}/${String(minted.id)}`, { method: 'DELETE' })
  })

  it('is not queued by a dry run', async () => {
    const before = body(await gateway().admin('/admin-api/approvals')).items
    const tried = await gateway().admin('/admin-api/clients/petstore/tools/addPet/test', {
      method: 'POST',
      body: { args: fresh(), dryRun: true },
    })
    expect(tried.json).toMatchObject({ outcome: 'refused', code: 'approval' })
    expect(body(await gateway().admin('/admin-api/approvals')).items).toEqual(before)
  })

  it('is marked where it is listed', async () => {
    const { json } = await rpc(gateway(), 'tools/list', {}, { headers: AGENT })
    const { tools } = body({ json } as Answer).result as {
      tools: { name: string; inputSchema: { properties: object }; annotations: object }[]
    }
    const added = tools.find(({ name }) => name === 'addPet')
    expect(added).toMatchObject({
      inputSchema: { properties: { __approval_id: { type: 'integer' } } },
      annotations: { destructiveHint: true, readOnlyHint: false },
    })
    expect(added?.inputSchema.properties).not.toHaveProperty('__confirm')
    expect(tools.filter(({ inputSchema }) => '__approval_id' in inputSchema.properties)).toHaveLength(1)
  })
})

describe('on other ways in', () => {
  it('a bundle asks as its shard does, and the ticket is good on both', async () => {
    await make(gateway(), 'bundles', { name: 'gated', tools: [member('petstore', 'addPet')] })
    const args = fresh()
    const id = ticketOf(await calling('petstore__addPet', args, AGENT, '/mcp-custom/gated'))
    await approve(id)
    expect((await addPet({ ...args, __approval_id: id })).isError).toBeUndefined()
  })

  it('a composite stops at the step, and passes no ticket on', async () => {
    const step = { targetClient: 'petstore', targetTool: 'addPet', argsTemplate: { name: '${input.name}' } }
    await make(gateway(), 'composites', {
      name: 'adopt',
      steps: [step],
      inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
    })
    await make(gateway(), 'bundles', { name: 'adopting', tools: [], composites: ['adopt'] })
    const args = fresh()
    const adopt = (more: object = {}) => calling('adopt', { ...args, ...more }, AGENT, '/mcp-custom/adopting')
    const refused = await adopt()
    const { items } = body(await gateway().admin('/admin-api/approvals?status=pending&limit=1')) as {
      items: Approval[]
    }
    const [ticket] = items
    expect([refused.isError, ticket?.args]).toEqual([true, args])
    await approve(ticket?.id ?? 0)
    expect((await adopt({ __approval_id: ticket?.id })).isError).toBe(true)
    expect(posts()).toBe(0)
    // The step itself may be called with it.
    expect((await addPet({ ...args, __approval_id: ticket?.id })).isError).toBeUndefined()
  })

  it('a tool of an editor waits as well, in the studio and for an agent', async () => {
    await configure('create_pcg_graph', { requiresApproval: true, approvalLevels: 1 }, 'pcg')
    const args = { name: 'PCG_Approved' }
    const byAnn = async (more: object = {}) =>
      body(
        await gateway().ask(`${EDITORS}/pcg/call`, {
          method: 'POST',
          body: { tool: 'create_pcg_graph', args, ...more },
          headers: people().ann,
        }),
      )
    const tried = await byAnn()
    expect(tried).toMatchObject({ ok: false, refusal: { code: 'approval', reason: 'queued' } })
    const { id } = (tried.refusal as { approval: { id: number } }).approval
    expect(code(await decide(id, 'approve'))).toBe('SELF_APPROVAL')
    await approve(id, people().bob)
    expect(await byAnn({ approvalId: id })).toMatchObject({ ok: true })
    const asAgent = await calling('create_pcg_graph', { name: 'PCG_Another' }, AGENT, '/mcp/pcg')
    expect(refusalOf(asAgent)).toMatchObject({ code: 'approval', reason: 'queued' })
  })
})

describe('a client that can ask its person [ct.0.1.input-required]', () => {
  const YES = { action: 'accept', content: { confirm: true } } as const

  async function connect(
    inBetween: (message: string) => Promise<unknown>,
  ): Promise<{ client: Client; asked: string[] }> {
    const asked: string[] = []
    const client = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params.message)
      await inBetween(params.message)
      return YES
    })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${gateway().url}/mcp/petstore`), {
        requestInit: { headers: { ...AGENT } },
      }),
    )
    onTestFinished(() => client.close())
    return { client, asked }
  }
  const ticketIn = (message: string): number => Number(/ticket (\d+)/.exec(message)?.[1])

  it('with sessions waits inside its call, and passes once it was approved', async () => {
    const { client, asked } = await connect((message) => approve(ticketIn(message)))
    const done = await client.callTool({ name: 'addPet', arguments: fresh() })
    expect([done.isError, asked.length, posts()]).toEqual([undefined, 1, 1])
    expect((await read(ticketIn(asked[0] ?? ''))).status).toBe('consumed')
  })

  it('approves nothing by its own yes', async () => {
    const { client } = await connect(async () => undefined)
    const refused = await client.callTool({ name: 'addPet', arguments: fresh() })
    expect(refused.structuredContent).toMatchObject({ code: 'approval', reason: 'pending' })
    expect(posts()).toBe(0)
  })

  it('without sessions is answered input_required, and comes back', async () => {
    const call = { name: 'addPet', arguments: fresh() }
    const send = async (more: object = {}, elicitation = true) => {
      const { json } = await gateway().ask('/mcp/petstore', {
        method: 'POST',
        headers: { ...AGENT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': call.name },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            ...call,
            ...more,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': elicitation ? { elicitation: {} } : {},
            },
          },
        },
      })
      return (json as { result: Record<string, unknown> }).result // looked at below
    }
    const { resultType, inputRequests, requestState } = await send()
    expect(resultType).toBe('input_required')
    const [[input, { params }] = ['', { params: { message: '' } }]] = Object.entries(
      inputRequests as Record<string, { params: { message: string } }>,
    )
    await approve(ticketIn(params.message))
    const done = await send({ inputResponses: { [input]: YES }, requestState })
    expect([done.resultType, done.isError, posts()]).toEqual(['complete', undefined, 1])
    call.arguments = fresh()
    expect((await send({}, false)).structuredContent).toMatchObject({ code: 'approval', reason: 'queued' })
  })
})

describe('what is reported', () => {
  it('is a ticket without its secrets, and to viewers without its arguments', async () => {
    await configure('addPet', { redactPaths: ['name'] })
    const { name } = fresh()
    const id = ticketOf(await addPet({ name }))
    const whole = await gateway().admin(`/admin-api/approvals/${id}`)
    expect(whole.json).toMatchObject({ args: { name: '[REDACTED]' }, argsJson: '{"name":"[REDACTED]"}' })
    expect(whole.text).not.toContain(name)
    expect(await read(id, people().viewer)).toMatchObject({ id, args: null, previous: null })
    const listed = await gateway().ask('/admin-api/approvals?limit=1&status=pending', { headers: people().viewer })
    expect(listed.json).toMatchObject({ items: [{ id, args: null }], nextCursor: expect.any(String) })
    expect(code(await gateway().admin('/admin-api/approvals/999999'))).toBe('APPROVAL_NOT_FOUND')
  })

  it('is each step of it, to the audit log, the counters, the overview and every listener [ct.7.7.events-approvals ct.14.mcp_approvals_pending]', async () => {
    const pending = async (): Promise<number> =>
      (body(await gateway().admin('/admin-api/overview')).approvals as { pending: number }).pending
    const measured = async (name: string): Promise<number> =>
      Number(new RegExp(`^${name} (\\S+)`, 'm').exec((await gateway().admin('/metrics')).text)?.[1] ?? 0)
    const [before, rejected] = [await pending(), await measured('mcp_approvals_decided_total{decision="rejected"}')]
    const received = await listen(gateway(), '?topics=approvals')
    await received.until('ready')
    const args = fresh()
    const id = ticketOf(await addPet(args))
    expect(await received.until('"created"')).toContain(`"id":${id}`)
    expect(await pending()).toBe(before + 1)
    await expect.poll(() => measured('mcp_approvals_pending')).toBe(before + 1)
    await decide(id, 'reject', people().bob, 'no')
    expect(await received.until('"decided"')).toContain('"rejected"')
    expect([await pending(), await measured('mcp_approvals_decided_total\\{decision="rejected"\\}')]).toEqual([
      before,
      rejected + 1,
    ])
    expect(reasonOf(await addPet({ ...args, __approval_id: id }))).toBe('rejected')
    expect((await audited('approval.request'))[0]).toMatchObject({
      target: String(id),
      detail: { tool: 'petstore__addPet' },
    })
    expect((await audited('approval.reject'))[0]).toMatchObject({
      actor: 'bob',
      target: String(id),
      detail: { note: 'no' },
    })
  })

  it('is which ticket a call used, not which one it named', async () => {
    const args = fresh()
    const id = ticketOf(await addPet(args))
    await approve(id)
    await addPet({ ...args, __approval_id: id })
    await addPet({ ...fresh(), __approval_id: 424_242 })
    await calling('deletePet', { id: 1, __approval_id: 424_242, __confirm: true })
    const entries = async () => (await audited('tool.call')).map(({ detail }) => detail)
    await expect
      .poll(async () => (await entries()).find(({ outcome, approvalId }) => outcome === 'success' && approvalId === id))
      .toBeDefined()
    expect(JSON.stringify(await entries())).not.toContain('424242')
    expect((await audited('approval.consume'))[0]).toMatchObject({ target: String(id) })
  })

  it('is a new ticket, to the webhook, signed and without arguments [gw.event.approval ct.11.3.approval_requested ct.17.effect.approval_webhook_url]', async () => {
    const args = fresh()
    const id = ticketOf(await addPet(args))
    await expect.poll(() => hooks.length).toBe(1)
    const [{ headers, body: text } = expect.fail('no webhook')] = hooks
    const [, at, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-gantry-signature'])) ?? []
    expect(signature).toBe(createHmac('sha256', SECRET).update(`${at}.${text}`).digest('hex'))
    const { argsHash, requestId, expiresAt } = await read(id)
    expect(JSON.parse(text)).toEqual({
      event: 'approval_requested',
      type: 'approval_requested',
      id: headers['x-gantry-delivery'],
      timestamp: expect.any(String),
      gateway: {
        name: 'gantry',
        version: expect.any(String),
        instanceId: expect.any(String),
        url: 'https://gantry.example/',
      },
      approval: {
        id,
        client: 'petstore',
        tool: 'addPet',
        requiredLevels: 1,
        approvers: [],
        requestedBy: expect.stringMatching(/^mcp-env:/),
        requestId,
        expiresAt,
        argsHash,
        reason: 'tool',
      },
      client: 'petstore',
      tool: 'addPet',
      url: `https://gantry.example/admin/approvals/${id}`,
    })
    // The same call again is no new ticket.
    await addPet(args)
    expect(hooks).toHaveLength(1)
  })

  it.each([
    ['answers 500', 500],
    ['never answers', 'never'],
  ] as const)(
    'is not waited for when the webhook %s [gw.setting.approval_webhook_timeout_ms]',
    async (_how, answers) => {
      sink.answers = answers
      const failures = async (): Promise<number> =>
        Number(
          /^mcp_webhook_deliveries_total\{.*outcome="failure".*\} (\d+)/m.exec(
            (await gateway().admin('/metrics')).text,
          )?.[1] ?? 0,
        )
      const before = await failures()
      expect(reasonOf(await addPet(fresh()))).toBe('queued')
      await expect.poll(failures).toBe(before + 1)
    },
  )
})
