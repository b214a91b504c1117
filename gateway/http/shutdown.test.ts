import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { describe, expect, it } from 'vitest'
import { type Front, openFront, statusOf } from './http.fixture.ts'
import { openSse } from './sse.ts'

type Peer = { readonly socket: Socket; readonly text: () => string; readonly closed: Promise<void> }
function peer(port: number, head: string): Peer {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => {})
  if (head !== '') socket.write(head.replace('HOST', `127.0.0.1:${port}`))
  return { socket, text: () => text, closed: new Promise((resolve) => socket.once('close', () => resolve())) }
}
const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: HOST\r\n\r\n`
async function until(fact: () => boolean): Promise<void> {
  while (!fact()) await pause(5)
}

type Slow = Front & { readonly release: () => void; readonly started: () => number }
async function slowFront(graceMs: number, drainMs = 0): Promise<Slow> {
  let release = (): void => {}
  let started = 0
  const gate = new Promise<void>((resolve) => (release = resolve))
  const front = await openFront(
    { SHUTDOWN_FORCE_EXIT_MS: graceMs, SHUTDOWN_DRAIN_MS: drainMs },
    {},
    ({ app, streams }) => {
      app.get('/slow', async () => {
        started += 1
        await gate
        return { done: true }
      })
      app.get('/events', (seen, reply) => {
        openSse(seen, reply, streams).send({ data: 'hello' })
      })
      app.get('/firehose', (seen, reply) => {
        const stream = openSse(seen, reply, streams, { maxQueuedBytes: 64 * 1024 * 1024 })
        stream.send({ data: 'x'.repeat(32 * 1024 * 1024) })
      })
    },
  )
  return { ...front, release: () => release(), started: () => started }
}

describe('draining', () => {
  const NOT_READY = { status: 'not_ready', reasons: ['shutting_down'] }

  it('serves calls while both readiness probes are 503, then refuses', async () => {
    const front = await slowFront(20_000, 1500)
    const agent = new Agent()
    const running = request(`${front.url}/slow`, { dispatcher: agent })
    await until(() => front.started() === 1)
    const stream = peer(front.port, GET('/events'))
    await until(() => stream.text().includes('data: hello'))
    const stopped = front.stop({ drain: true })
    expect(front.draining()).toBe(false)
    for (const path of ['/readyz', '/readyz?for=traffic']) {
      const answer = await request(front.url + path)
      expect([answer.statusCode, await answer.body.json()]).toEqual([503, NOT_READY])
    }
    const call = await request(`${front.url}/llms.txt`, { dispatcher: agent })
    expect([call.statusCode, call.headers.connection]).toEqual([200, 'close'])
    await call.body.dump()
    expect(stream.text()).not.toContain('retry:')
    await until(front.draining)
    expect((await request(`${front.url}/llms.txt`)).statusCode).toBe(503)
    front.release()
    expect((await running).statusCode).toBe(200)
    expect(await stopped).toEqual({ forced: false })
    await stream.closed
    expect(stream.text()).toContain('retry: 1000')
    await agent.close()
  })

  it('leaves new connections to others from the start where there are any, and serves those that are open', async () => {
    const front = await slowFront(20_000, 1500)
    const agent = new Agent()
    const running = request(`${front.url}/slow`, { dispatcher: agent })
    await until(() => front.started() === 1)
    const open = peer(front.port, '')
    await new Promise((resolve) => open.socket.once('connect', resolve))
    const stopped = front.stop({ drain: true, elsewhere: true })
    await expect(request(`${front.url}/livez`)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    open.socket.write(GET('/llms.txt').replace('HOST', `127.0.0.1:${front.port}`))
    await until(() => statusOf(open.text()) === 200)
    expect(open.text().toLowerCase()).toContain('connection: close')
    await open.closed
    front.release()
    expect((await running).statusCode).toBe(200)
    expect(await stopped).toEqual({ forced: false })
    await agent.close()
  })

  it('is skipped when it is not asked for, and when it lasts no time', async () => {
    for (const [drainMs, options] of [
      [600_000, {}],
      [0, { drain: true }],
    ] as const) {
      const front = await slowFront(1000, drainMs)
      const stopped = front.stop(options)
      expect(front.draining()).toBe(true)
      expect(await stopped).toEqual({ forced: false })
    }
  })
})

describe('stopping', () => {
  it('cuts off a call that outlasts the grace, and logs it [gw.setting.shutdown_force_exit_ms]', async () => {
    const front = await slowFront(200)
    const caller = peer(front.port, GET('/slow'))
    await until(() => front.started() === 1)
    expect(await front.stop()).toEqual({ forced: true })
    await caller.closed
    expect(caller.text()).toBe('')
  })

  it('refuses new calls with 503 while a running one finishes [ct.3.stop-readyz ct.3.stop-in-flight ct.3.readyz-stop ct.18.shutting_down]', async () => {
    const front = await slowFront(20_000)
    const agent = new Agent()
    const running = request(`${front.url}/slow`, { dispatcher: agent })
    await until(() => front.started() === 1)
    const stopped = front.stop()
    const refused = await request(`${front.url}/slow`)
    expect(refused.statusCode).toBe(503)
    expect(await refused.body.json()).toMatchObject({ error: { code: 'SHUTTING_DOWN' } })
    expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': '5' })
    const ready = await request(`${front.url}/readyz`)
    expect(ready.statusCode).toBe(503)
    expect(await ready.body.json()).toEqual({ status: 'not_ready', reasons: ['shutting_down'] })
    expect((await request(`${front.url}/livez`)).statusCode).toBe(200)
    front.release()
    expect(await (await running).body.json()).toEqual({ done: true })
    expect(await stopped).toEqual({ forced: false })
    await expect(request(`${front.url}/livez`)).rejects.toThrow(/ECONNREFUSED/)
    await agent.close()
  })

  it('ends open streams and closes idle, silent and half-sent connections [ct.3.stop-streams]', async () => {
    const front = await slowFront(20_000)
    const stream = peer(front.port, GET('/events'))
    await until(() => stream.text().includes('data: hello'))
    const idle = peer(front.port, GET('/health'))
    await until(() => idle.text().includes('uptime_seconds'))
    const silent = peer(front.port, '')
    await until(() => silent.socket.readyState === 'open')
    await pause(20)
    expect(front.streams.size()).toBe(1)
    expect(await front.stop()).toEqual({ forced: false })
    await Promise.all([stream.closed, idle.closed, silent.closed])
    expect(stream.text().endsWith('0\r\n\r\n')).toBe(true)
    expect(front.streams.size()).toBe(0)
  })

  it('notifies the reader of a stream when to connect again', async () => {
    const front = await slowFront(20_000)
    const stream = await request(`${front.url}/events`)
    await until(() => front.streams.size() === 1)
    await front.stop()
    expect(await stream.body.text()).toBe('data: hello\n\nretry: 1000\n\n')
  })

  it('does not wait for a stream whose reader takes nothing', async () => {
    const front = await slowFront(2000)
    const stuck = peer(front.port, GET('/firehose'))
    await until(() => statusOf(stuck.text()) === 200)
    stuck.socket.pause()
    expect(await front.stop()).toEqual({ forced: false })
    stuck.socket.destroy()
  })

  it('is one stop however often it is asked for', async () => {
    const front = await slowFront(1000)
    const [first, second] = [front.stop(), front.stop()]
    expect(first).toBe(second)
    expect(front.draining()).toBe(true)
    expect(await first).toEqual({ forced: false })
  })
})
