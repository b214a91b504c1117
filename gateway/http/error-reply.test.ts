import fastify from 'fastify'
import { expect, it } from 'vitest'
import { replyError } from './error-reply.ts'
import type { HttpReply, HttpRequest } from './request-reply.ts'

it('logs work that was aborted, but not if its caller had disconnected', async () => {
  const logged: unknown[] = []
  const asked = new AbortController()
  const app = fastify()
  let answered = (): void => undefined
  const left = new Promise<void>((resolve) => {
    answered = resolve
  })
  app.setErrorHandler((thrown, request, reply) => {
    const log = { debug: () => undefined, error: (_text: string, more?: object) => void logged.push(more) }
    // The context of a request is not read here.
    replyError(thrown, request as unknown as HttpRequest, reply as unknown as HttpReply, log)
    if (request.url === '/left') answered()
  })
  app.get('/left', async (_request, reply) => {
    const closed = new Promise((resolve) => {
      reply.raw.once('close', resolve)
    })
    asked.abort()
    await closed
    throw new DOMException('This operation was aborted', 'AbortError')
  })
  app.get('/stays', () => {
    throw new DOMException('This operation was aborted', 'AbortError')
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  await fetch(`${url}/left`, { signal: asked.signal }).catch(() => undefined)
  await left
  expect((await fetch(`${url}/stays`)).status).toBe(500)
  expect(logged).toEqual([expect.objectContaining({ route: '/stays', code: 'INTERNAL_ERROR' })])
  await app.close()
})
