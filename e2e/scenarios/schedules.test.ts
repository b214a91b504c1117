// Schedules over real sockets: made, changed, run on request and on the schedule of the gateway, which is moved to shortly before a minute.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Schedule } from '#contract'
import { gantry } from '../../gateway/client/cli/cli.fixture.ts'
import { call, openUpstream, ROOMY, refusalOf, register, type Upstream } from './data-plane.fixture.ts'
import { listen } from './events.fixture.ts'
import { ADMIN_KEY, type Answer, aUser, passwordOf, signIn } from './gateway.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'

const PATIENCE = { timeout: 20_000 }
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ENV = { ...ROOMY, NODE_OPTIONS: `--import=${new URL('moved-clock.mjs', import.meta.url).href}` }
const SCHEDULES = '/admin-api/schedules'
let gateway: GatewayProcess
let shop: Upstream
beforeAll(async () => {
  ;[gateway, shop] = await Promise.all([spawnGateway(ENV), openUpstream()])
  for (const name of ['petstore', 'bank']) await register(gateway, shop, name)
})
afterAll(async () => {
  await gateway.end()
  await shop.close()
})

type Fields = Readonly<Record<string, unknown>>
const inputOf = (over: object = {}) => ({
  targetType: 'client',
  clientName: 'petstore',
  action: 'disable',
  cron: '0 3 * * *',
  ...over,
})
const codeOf = ({ status, json }: Answer): string =>
  `${status} ${(json as { error?: { code?: string } } | undefined)?.error?.code ?? ''}`.trim()
const post = (body: object) => gateway.admin(SCHEDULES, { method: 'POST', body })
async function made(answer: Promise<Answer>, status = 201): Promise<Schedule> {
  const reply = await answer
  expect(reply.status, reply.text).toBe(status)
  return Schedule.strict().parse(reply.json)
}
const make = (over: object = {}): Promise<Schedule> => made(post(inputOf(over)))
const read = (id: number): Promise<Schedule> => made(gateway.admin(`${SCHEDULES}/${id}`), 200)
const runNow = (id: number): Promise<Schedule> => made(gateway.admin(`${SCHEDULES}/${id}/run`, { method: 'POST' }), 200)
const remove = (id: number) => gateway.admin(`${SCHEDULES}/${id}`, { method: 'DELETE' })
async function entries(query: string): Promise<readonly { actor: string; action: string; detail: Fields }[]> {
  const { json } = await gateway.admin(`/admin-api/audit-log?${query}`)
  return (json as { items: { actor: string; action: string; detail: Fields }[] }).items // the page of the log
}
const isOn = async (client: string): Promise<unknown> =>
  ((await gateway.admin(`/admin-api/clients/${client}`)).json as Fields)['enabled']

async function setClock(offMs: number): Promise<void> {
  writeFileSync(join(gateway.folder, 'clock'), String(offMs))
  gateway.signal('SIGUSR2')
  await vi.waitUntil(() => gateway.output().includes(`the clock is off by ${offMs} ms`), PATIENCE)
}
/** The minute and hour that a clock so far off shows at a moment, as a cron of every day. */
const dailyAt = (ms: number): string => `${new Date(ms).getUTCMinutes()} ${new Date(ms).getUTCHours()} * * *`

describe('a schedule', () => {
  it('is made, listed newest first and by backend, changed under its revision, and removed [ct.7.8.schedules ct.7.8.schedule-create ct.7.8.schedule ct.13.2.schedule ct.18.schedule_not_found gw.route.config-group]', async () => {
    const first = await make({ note: 'for the night' })
    expect(first).toEqual({
      ...inputOf(),
      id: expect.any(Number),
      toolName: null,
      timezone: 'UTC',
      enabled: true,
      note: 'for the night',
      lastRunAt: null,
      lastResult: null,
      nextRunAt: expect.stringMatching(/T03:00:00\.000Z$/),
      teamId: null,
      revision: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      createdBy: expect.stringMatching(/^bearer:/),
    })
    const second = await make({ targetType: 'tool', clientName: 'bank', toolName: 'ok', timezone: 'Asia/Kathmandu' })
    expect(second).toMatchObject({ toolName: 'ok', nextRunAt: expect.stringMatching(/T21:15:00\.000Z$/) })
    const list = async (query: string) =>
      (await gateway.admin(`${SCHEDULES}${query}`)).json as { items: Schedule[]; nextCursor?: string }
    const page = await list('?limit=1')
    expect(page.items).toEqual([second])
    expect((await list(`?limit=1&cursor=${page.nextCursor}`)).items).toEqual([first])
    expect((await list('?client=petstore')).items).toEqual([first])
    const path = `${SCHEDULES}/${second.id}`
    const patch = (body: object) => gateway.admin(path, { method: 'PATCH', body })
    expect((await patch({ cron: '30  4 * * mon-fri', timezone: 'UTC', revision: 1 })).json).toMatchObject({
      cron: '30 4 * * mon-fri',
      revision: 2,
      nextRunAt: expect.stringMatching(/T04:30:00\.000Z$/),
    })
    expect(codeOf(await patch({ note: 'late', revision: 1 }))).toBe('412 PRECONDITION_FAILED')
    expect((await patch({ enabled: false })).json).toMatchObject({ enabled: false, nextRunAt: null, revision: 3 })
    expect((await patch({ targetType: 'client', toolName: null })).json).toMatchObject({ toolName: null, revision: 4 })
    expect(codeOf(await patch({ targetType: 'tool' }))).toBe('400 INVALID_TARGET')
    for (const { id } of [first, second]) expect((await remove(id)).status).toBe(204)
    for (const [method, to] of [
      ['GET', path],
      ['PATCH', path],
      ['DELETE', path],
      ['POST', `${path}/run`],
      ['GET', `${SCHEDULES}/none`],
    ] as const)
      expect(codeOf(await gateway.admin(to, { method, ...(method === 'PATCH' ? { body: {} } : {}) }))).toBe(
        '404 SCHEDULE_NOT_FOUND',
      )
    expect((await entries(`action=schedule.&target=${second.id}`)).map(({ action }) => action)).toEqual([
      'schedule.delete',
      ...Array.from({ length: 3 }, () => 'schedule.update'),
      'schedule.create',
    ])
  })

  it.each([
    ['an invalid cron', { cron: 'at night' }, '400 INVALID_CRON'],
    ['no cron', { cron: '' }, '400 INVALID_CRON'],
    ['seconds', { cron: '0 0 3 * * *' }, '400 INVALID_CRON'],
    ['a day that never comes', { cron: '0 0 30 2 *' }, '400 INVALID_CRON'],
    ['a tool that is not named', { targetType: 'tool' }, '400 INVALID_TARGET'],
    ['a backend and a tool', { toolName: 'ok' }, '400 INVALID_TARGET'],
    ['a missing backend', { clientName: 'missing' }, '404 CLIENT_NOT_FOUND'],
    ['a missing tool', { targetType: 'tool', toolName: 'nothing' }, '404 TOOL_NOT_FOUND'],
    ['a zone of another planet', { timezone: 'Mars/Olympus' }, '400 VALIDATION_ERROR'],
    ['another action', { action: 'restart' }, '400 VALIDATION_ERROR'],
    ['a note too long', { note: 'x'.repeat(257) }, '400 VALIDATION_ERROR'],
  ])('is not made of %s [ct.18.invalid_cron ct.18.invalid_target]', async (_case, over, code) => {
    expect(codeOf(await post(inputOf(over)))).toBe(code)
  })

  it('says of its cron what is wrong with it, at its field', async () => {
    expect((await post(inputOf({ cron: '61 * * * *' }))).json).toMatchObject({
      error: { fields: [{ path: 'cron', message: 'minute: "61" must be 0 to 59' }] },
    })
  })

  it('needs an operator to create and run, and is readable by all', async () => {
    const { id } = await make({ enabled: false })
    const [viewer, operator] = [await aUser(gateway, 'watcher', 'viewer'), await aUser(gateway, 'worker', 'operator')]
    const path = `${SCHEDULES}/${id}`
    expect((await gateway.ask(path, { headers: viewer })).status).toBe(200)
    for (const [method, to] of [
      ['POST', SCHEDULES],
      ['PATCH', path],
      ['DELETE', path],
      ['POST', `${path}/run`],
    ] as const)
      expect(codeOf(await gateway.ask(to, { method, body: {}, headers: viewer }))).toBe('403 FORBIDDEN')
    expect((await gateway.ask(SCHEDULES, { method: 'POST', body: inputOf(), headers: operator })).status).toBe(201)
    expect((await gateway.ask(path, { method: 'DELETE', headers: operator })).status).toBe(204)
  })

  it("of a team reaches what is the team's, and nothing once that is another's (security case TN-05)", async () => {
    const { id: teamId } = (await gateway.admin('/admin-api/teams', { method: 'POST', body: { name: 'Blue' } }))
      .json as { id: number }
    const person = { username: 'blue', password: passwordOf('blue'), role: 'operator', teamId }
    await gateway.admin('/admin-api/users', { method: 'POST', body: person })
    const headers = await signIn(gateway, 'blue', passwordOf('blue'))
    const ask = (body: object) => gateway.ask(SCHEDULES, { method: 'POST', body, headers })
    const foreign = await ask(inputOf())
    const nowhere = await ask(inputOf({ clientName: 'missing' }))
    expect([codeOf(foreign), codeOf(nowhere)]).toEqual(['404 CLIENT_NOT_FOUND', '404 CLIENT_NOT_FOUND'])
    const setTeam = (to: number | null) =>
      gateway.admin('/admin-api/clients/bank/team', { method: 'PUT', body: { teamId: to } })
    await setTeam(teamId)
    const mine = await made(ask(inputOf({ clientName: 'bank' })))
    expect(mine.teamId).toBe(teamId)
    const unowned = await make()
    expect((await gateway.ask(`${SCHEDULES}/${unowned.id}`, { headers })).status).toBe(404)
    await setTeam(null)
    expect(await runNow(mine.id)).toMatchObject({ lastResult: 'target_missing' })
    expect(await isOn('bank')).toBe(true)
    const log = (await gateway.ask('/admin-api/audit-log?action=schedule.', { headers })).json as { items: unknown[] }
    expect(log.items).toMatchObject([
      { action: 'schedule.fire' },
      { action: 'schedule.create', target: String(mine.id) },
    ])
    for (const { id } of [mine, unowned]) await remove(id)
  })
})

it('is looked after from the command line', async () => {
  const env = { HOME: gateway.folder, GANTRY_URL: gateway.url, GANTRY_ADMIN_KEY: ADMIN_KEY }
  const schedule = (...words: string[]) => gantry(env, ['schedule', ...words])
  const times = ['--cron', '0 3 * * *', '--timezone', 'Europe/Berlin']
  const added = await schedule('add', 'petstore__ok', '--action', 'enable', ...times, '--json')
  const { id } = Schedule.parse(JSON.parse(added.out))
  const at = String(id)
  expect((await schedule('list', '--client', 'petstore')).out).toMatch(
    /enable +petstore +ok +0 3 \* \* \* +Europe\/Berlin/,
  )
  expect((await schedule('run', at)).out).toBe('petstore__ok is enabled, as it was\n')
  expect((await schedule('disable', at)).out).toBe(`${at} is disabled\n`)
  expect((await schedule('enable', at)).out).toMatch(/^\d+ runs next at .*Z\n$/)
  expect(JSON.parse((await schedule('show', at, '--json')).out)).toMatchObject({ id, lastResult: 'unchanged' })
  expect((await schedule('remove', at)).out).toBe(`${at} is removed\n`)
  expect(await schedule('show', at)).toMatchObject({ code: 1, error: expect.stringContaining('SCHEDULE_NOT_FOUND') })
  for (const wrong of [
    ['add', 'petstore'],
    ['add', 'petstore', '--action', 'stop'],
    ['add', 'petstore', '--action', 'enable'],
  ])
    expect(await schedule(...wrong)).toMatchObject({ code: 64 })
  expect((await schedule('add', 'petstore', '--action', 'enable', '--cron', 'soon')).error).toContain('five fields')
})

describe('what a schedule does', () => {
  it('is done now on request, also of one that is disabled, and leaves its time as it was [ct.7.8.schedule-run]', async () => {
    const [off, on] = [
      await make({ targetType: 'tool', toolName: 'ok' }),
      await make({ targetType: 'tool', toolName: 'ok', action: 'enable', enabled: false }),
    ]
    const ran = await runNow(off.id)
    expect(ran).toEqual({ ...off, lastRunAt: expect.any(String), lastResult: 'applied' })
    expect(refusalOf(await call(gateway, 'ok'))).toMatchObject({ code: 'disabled' })
    expect(await runNow(off.id)).toMatchObject({ lastResult: 'unchanged' })
    expect(await runNow(on.id)).toMatchObject({ lastResult: 'applied', nextRunAt: null })
    expect((await call(gateway, 'ok')).isError).not.toBe(true)
    const [fire] = await entries(`action=schedule.fire&target=${on.id}`)
    expect(fire).toMatchObject({
      actor: expect.stringMatching(/^bearer:/),
      detail: { client: 'petstore', tool: 'ok', action: 'enable', result: 'applied' },
    })
    for (const { id } of [off, on]) await remove(id)
  })

  it('is done in its minute by the system, once, in its own time zone, announced live, and not made up for when the gateway was down [ct.10.5.schedule]', async () => {
    // Half a minute before one, some hours ago.
    const offMs = 30_000 - (Date.now() % MINUTE) - 3 * HOUR
    await setClock(offMs)
    const minute = Math.ceil((Date.now() + offMs) / MINUTE) * MINUTE
    const kathmandu = { timezone: 'Asia/Kathmandu', cron: dailyAt(minute + 345 * MINUTE) }
    const [nightly, hourly, later] = [
      await make(kathmandu),
      await make({ clientName: 'bank', cron: `${new Date(minute).getUTCMinutes()} * * * *` }),
      await make({ action: 'enable', cron: dailyAt(minute + 2 * HOUR) }),
    ]
    const due = new Date(minute).toISOString()
    expect([nightly.nextRunAt, hourly.nextRunAt]).toEqual([due, due])
    const events = await listen(gateway, '?topics=config,clients')
    await setClock(minute - Date.now() + 1_000)
    await vi.waitFor(async () => expect(await read(hourly.id)).toMatchObject({ lastResult: 'applied' }), PATIENCE)
    expect(await read(nightly.id)).toMatchObject({
      lastResult: 'applied',
      nextRunAt: new Date(minute + 24 * HOUR).toISOString(),
      revision: 1,
    })
    expect(await isOn('petstore')).toBe(false)
    expect(refusalOf(await call(gateway, 'ok'))).toMatchObject({ code: 'disabled' })
    expect(await events.until('"type":"enabled"')).toContain('"record":"schedule"')
    const [fire, ...more] = await entries(`action=schedule.fire&target=${nightly.id}`)
    expect([fire, more]).toMatchObject([
      {
        actor: 'system',
        detail: {
          client: 'petstore',
          tool: null,
          action: 'disable',
          result: 'applied',
          due,
          lateMs: expect.any(Number),
        },
      },
      [],
    ])
    expect((await entries('action=client.disable&target=petstore'))[0]).toMatchObject({ actor: 'system' })
    // Back at the time of the machine: the hour of `later` passed while the gateway was down.
    await gateway.stop()
    gateway = await spawnGateway(ENV, gateway.folder)
    await vi.waitFor(
      async () => expect(Date.parse((await read(later.id)).nextRunAt ?? '')).toBeGreaterThan(Date.now()),
      PATIENCE,
    )
    expect(await read(later.id)).toMatchObject({ lastRunAt: null, lastResult: null })
    expect(gateway.output()).toContain('a schedule was skipped')
    expect(await isOn('petstore')).toBe(false)
    for (const { id } of [nightly, hourly, later]) await remove(id)
  })
})
